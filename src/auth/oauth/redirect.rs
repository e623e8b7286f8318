//! Redirect URIs: where a code may be sent.
//!
//! A URI is compared as a string (OAuth 2.1, section 2.3.1), but for the port of a loopback address, which a native client
//! learns only when it starts to listen (RFC 8252, section 7.3). Only what is exactly a URI (RFC 3986) and written plainly
//! is looked at, so that no browser reads another one in it than was checked here.

use fluent_uri::Uri;
use form_urlencoded::Serializer;

/// Characters of a URI, at most.
pub const CHARACTERS: usize = 512;

/// Schemes by which a browser runs, reads or opens something instead of handing the code to a client.
const REFUSED_SCHEMES: &[&str] = &[
    "about",
    "blob",
    "chrome",
    "chrome-extension",
    "data",
    "facetime",
    "feed",
    "file",
    "filesystem",
    "ftp",
    "intent",
    "jar",
    "javascript",
    "livescript",
    "mailto",
    "mocha",
    "moz-extension",
    "resource",
    "search",
    "search-ms",
    "sftp",
    "shell",
    "sms",
    "smsto",
    "ssh",
    "tel",
    "telnet",
    "vbscript",
    "view-source",
    "ws",
    "wss",
];
/// Parameters of an answer. A URI that has one already would make two of it.
const ANSWERED: &[&str] = &["code", "state", "iss", "error", "error_description", "error_uri"];

/// The URI that a text is, if it is without a user's name and a fragment, and its host is a name or an address as it is
/// written everywhere: nothing in it is encoded, and nothing means something to a content security policy.
pub(super) fn parse(text: &str) -> Option<Uri<&str>> {
    let uri = Uri::parse(text).ok().filter(|uri| !uri.has_fragment())?;
    let plain = uri.authority().is_none_or(|authority| {
        let host = authority.host();
        let named = host.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'));
        let address =
            host.starts_with('[') && host.bytes().all(|byte| byte.is_ascii_hexdigit() || b"[:.]".contains(&byte));
        let port = authority.port().is_none_or(|port| port.is_empty() || port.as_str().parse::<u16>().is_ok());
        !authority.has_userinfo() && (named || address) && port
    });
    plain.then_some(uri)
}

/// Whether the query has no parameter that an answer has.
fn leaves_room(uri: Uri<&str>) -> bool {
    let query = uri.query().map_or("", |query| query.as_str());
    !form_urlencoded::parse(query.as_bytes()).any(|(name, _)| ANSWERED.contains(&&*name))
}

/// The host of an https URI; none where there is none.
pub(super) fn https_host(uri: Uri<&str>) -> Option<&str> {
    let host = uri.authority()?.host();
    (uri.scheme().as_str() == "https" && !host.is_empty()).then_some(host)
}

fn loopback_host(uri: Uri<&str>) -> Option<&str> {
    let host = uri.authority()?.host();
    (uri.scheme().as_str() == "http" && matches!(host, "localhost" | "127.0.0.1" | "[::1]")).then_some(host)
}

/// Whether a client may register the URI: `https`, `http` on a loopback address, or a scheme of an application's own.
#[must_use]
pub fn is_acceptable(uri: &str) -> bool {
    let short = uri.len() <= CHARACTERS;
    parse(uri).filter(|uri| short && leaves_room(*uri)).is_some_and(|uri| match uri.scheme().as_str() {
        "https" => https_host(uri).is_some(),
        "http" => loopback_host(uri).is_some(),
        // Windows opens its own parts by ms-…:
        scheme if scheme.starts_with("ms-") => false,
        scheme => !REFUSED_SCHEMES.contains(&scheme) && scheme == scheme.to_ascii_lowercase(),
    })
}

/// Whether a request may use `requested` of a client that registered `registered`.
#[must_use]
pub fn matches(registered: &str, requested: &str) -> bool {
    if registered == requested {
        return true;
    }
    let (Some(known), Some(asked)) = (parse(registered), parse(requested)) else { return false };
    loopback_host(known).is_some()
        && loopback_host(known) == loopback_host(asked)
        && known.path() == asked.path()
        && known.query() == asked.query()
}

/// The URI with parameters added to its query.
#[must_use]
pub fn with_parameters(uri: &str, parameters: &[(&str, &str)]) -> String {
    let encoded = Serializer::new(String::new()).extend_pairs(parameters).finish();
    let separator = if uri.contains('?') { '&' } else { '?' };
    format!("{uri}{separator}{encoded}")
}

/// Where the URI leads, for the owner to read: its host, this device, or an application.
#[must_use]
pub fn described(uri: &str) -> String {
    let Some(uri) = parse(uri) else { return String::new() };
    match https_host(uri) {
        Some(host) => host.to_owned(),
        None => match loopback_host(uri) {
            Some(host) => format!("a program on this device ({host})"),
            None => format!("the application that opens {}: links", uri.scheme()),
        },
    }
}

/// Whether the URI leads to a program on the device that follows it.
#[must_use]
pub fn is_loopback(uri: &str) -> bool {
    parse(uri).is_some_and(|uri| loopback_host(uri).is_some())
}

/// The URI as a source of a content security policy, which restricts what a form may lead to.
#[must_use]
pub fn policy_source(uri: &str) -> String {
    let Some(uri) = parse(uri) else { return String::new() };
    match uri.authority().filter(|_| https_host(uri).is_some()) {
        Some(authority) => format!("https://{authority}"),
        None => format!("{}:", uri.scheme()),
    }
}
