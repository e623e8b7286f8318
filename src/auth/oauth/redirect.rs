//! Redirect URIs: where a code may be sent.
//!
//! A URI is compared as a string (OAuth 2.1, section 2.3.1), but for the port of a loopback address, which a native client
//! learns only when it starts to listen (RFC 8252, section 7.3).

use url::{Url, form_urlencoded};

/// Characters of a redirect URI, at most.
pub const CHARACTERS: usize = 512;

/// Schemes by which a browser runs, reads or opens something instead of handing the code to a client.
const REFUSED_SCHEMES: &[&str] = &[
    "about",
    "blob",
    "chrome",
    "data",
    "file",
    "filesystem",
    "ftp",
    "intent",
    "javascript",
    "mailto",
    "vbscript",
    "view-source",
    "ws",
    "wss",
];

fn parse(uri: &str) -> Option<Url> {
    // What the parser would clean up (white space, backslashes) is refused, so that what was checked is what is sent.
    let plain = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
    if uri.len() > CHARACTERS || !uri.bytes().all(plain) {
        return None;
    }
    Url::parse(uri).ok()
}

fn is_loopback(url: &Url) -> bool {
    url.scheme() == "http" && matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"))
}

/// Whether a client may register the URI: `https`, `http` on a loopback address, or a scheme of an application's own;
/// without a fragment or a user's name in it.
#[must_use]
pub fn is_acceptable(uri: &str) -> bool {
    let Some(url) = parse(uri) else { return false };
    let named_plainly = url.username().is_empty() && url.password().is_none() && !uri.contains('#');
    named_plainly
        && match url.scheme() {
            "https" => url.has_host(),
            "http" => is_loopback(&url),
            scheme => !REFUSED_SCHEMES.contains(&scheme),
        }
}

/// Whether a request may use `requested` of a client that registered `registered`.
#[must_use]
pub fn matches(registered: &str, requested: &str) -> bool {
    if registered == requested {
        return true;
    }
    let (Some(known), Some(asked)) = (parse(registered), parse(requested)) else { return false };
    is_acceptable(requested)
        && is_loopback(&known)
        && is_loopback(&asked)
        && known.host_str() == asked.host_str()
        && known.path() == asked.path()
        && known.query() == asked.query()
}

/// The URI with parameters added to its query.
#[must_use]
pub fn with_parameters(uri: &str, parameters: &[(&str, &str)]) -> String {
    let encoded = form_urlencoded::Serializer::new(String::new()).extend_pairs(parameters).finish();
    let separator = if uri.contains('?') { '&' } else { '?' };
    format!("{uri}{separator}{encoded}")
}

/// Where the URI leads, for the owner to read: its host, this device, or an application.
#[must_use]
pub fn described(uri: &str) -> String {
    match parse(uri) {
        Some(url) if is_loopback(&url) => "a program on this device".to_owned(),
        Some(url) if url.scheme() == "https" => url.host_str().unwrap_or_default().to_owned(),
        Some(url) => format!("the application that opens {}: links", url.scheme()),
        None => String::new(),
    }
}

/// The URI as a source of a content security policy, which restricts what a form may lead to.
#[must_use]
pub fn policy_source(uri: &str) -> String {
    match parse(uri) {
        Some(url) if url.scheme() == "https" => url.origin().ascii_serialization(),
        Some(url) => format!("{}:", url.scheme()),
        None => String::new(),
    }
}
