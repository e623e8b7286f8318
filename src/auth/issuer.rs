//! The issuers whose access tokens are accepted: their settings, and where their keys are published.
//!
//! An issuer is an https URL that is compared to the letter, in tokens and in the issuer's own metadata, so that one
//! issuer never speaks for another.

use super::jwt::{Expected, media_type};
use super::members::{optional, optional_text, parse_object, required_text, texts, unambiguous};
use crate::json::{Kind, Node};

/// The most issuers that are accepted at once.
pub const ISSUERS: usize = 8;

/// An issuer and what its tokens must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Issuer {
    /// Its `iss`.
    pub issuer: String,
    /// The `aud` of its tokens; this server's own resource URL if not given.
    pub audience: Option<String>,
    /// Where its keys are; its metadata says so if not given.
    pub jwks: Option<String>,
    /// The types of its access tokens.
    types: Vec<String>,
}

/// The members of an issuer's settings.
const MEMBERS: [&str; 4] = ["issuer", "audience", "jwks", "types"];
/// The type of access tokens (RFC 9068, section 2.1).
const ACCESS_TOKEN: &str = "at+jwt";

impl Issuer {
    /// The provider by whose `id_token`s, or the proxy by whose assertions, people sign in to the client `audience`.
    ///
    /// # Errors
    /// What is wrong with the settings.
    pub fn of_people(issuer: &str, audience: &str, jwks: Option<String>) -> Result<Self, &'static str> {
        let (issuer, audience) = (issuer.to_owned(), Some(audience.to_owned()));
        let provider = Self { issuer, audience, jwks, types: vec!["jwt".to_owned()] };
        provider.check().map(|()| provider)
    }

    /// The issuers that a setting, a JSON array, holds.
    ///
    /// # Errors
    /// What is wrong with it, for the log.
    pub fn parse_all(setting: &str) -> Result<Vec<Self>, String> {
        let document = unambiguous(setting.as_bytes()).filter(|document| document.root().kind() == Kind::Array);
        let document = document.ok_or("it is not a JSON array")?;
        let mut issuers = Vec::new();
        for (number, settings) in (1..).zip(document.root().elements()) {
            if number > ISSUERS {
                return Err(format!("there may be at most {ISSUERS}"));
            }
            let issuer = Self::read(settings).map_err(|reason| format!("number {number}: {reason}"))?;
            if issuers.iter().any(|known: &Self| known.issuer == issuer.issuer) {
                return Err(format!("number {number}: the issuer is there already"));
            }
            issuers.push(issuer);
        }
        Ok(issuers)
    }

    fn read(settings: Node<'_>) -> Result<Self, &'static str> {
        if settings.members().any(|(name, _)| !MEMBERS.contains(&&*name)) {
            return Err("there is a member besides issuer, audience, jwks and types");
        }
        let types = optional(settings, "types", texts).map_err(|_| "types must be an array of strings")?;
        let issuer = Self {
            issuer: required_text(settings, "issuer").map_err(|_| "issuer must be a string")?,
            audience: optional_text(settings, "audience").map_err(|_| "audience must be a string")?,
            jwks: optional_text(settings, "jwks").map_err(|_| "jwks must be a string")?,
            types: types.map_or_else(
                || vec![ACCESS_TOKEN.to_owned()],
                |types| types.iter().map(|typ| media_type(typ)).collect(),
            ),
        };
        issuer.check().map(|()| issuer)
    }

    fn check(&self) -> Result<(), &'static str> {
        if !is_https(&self.issuer) || self.issuer.contains(['?', '#', '@']) {
            return Err("issuer must be an https URL without query, fragment and user");
        }
        if self.jwks.as_ref().is_some_and(|url| !is_https(url)) {
            return Err("jwks must be an https URL");
        }
        if self.audience.as_ref().is_some_and(String::is_empty) {
            return Err("audience must not be empty");
        }
        if self.types.is_empty() || self.types.iter().any(|typ| typ != ACCESS_TOKEN && typ != "jwt") {
            return Err("types must hold at+jwt, JWT or both");
        }
        Ok(())
    }

    /// What a token of this issuer must be; `resource` is this server's own URL.
    #[must_use]
    pub fn expected<'e>(&'e self, resource: &'e str) -> Expected<'e> {
        let audience = self.audience.as_deref().unwrap_or(resource);
        Expected { issuer: &self.issuer, audience, types: &self.types }
    }

    /// Where the issuer's metadata may be, in the order in which it is looked for: RFC 8414, section 3.1, then OpenID's
    /// name with the path after it, then OpenID Connect Discovery 1.0, section 4, with the path before it.
    #[must_use]
    pub fn metadata_urls(&self) -> Vec<String> {
        let issuer = self.issuer.strip_suffix('/').unwrap_or(&self.issuer);
        let rest = issuer.strip_prefix("https://").unwrap_or_default();
        let (host, path) = rest.find('/').and_then(|slash| rest.split_at_checked(slash)).unwrap_or((rest, ""));
        let mut urls = vec![
            format!("https://{host}/.well-known/oauth-authorization-server{path}"),
            format!("https://{host}/.well-known/openid-configuration{path}"),
        ];
        if !path.is_empty() {
            urls.push(format!("https://{host}{path}/.well-known/openid-configuration"));
        }
        urls
    }

    /// The https URL of that name that the issuer's metadata tells; `None` when the metadata is not this issuer's or has none.
    #[must_use]
    pub fn url_in(&self, metadata: &[u8], name: &str) -> Option<String> {
        let document = parse_object(metadata)?;
        let member = |name| required_text(document.root(), name).ok();
        (member("issuer")? == self.issuer).then(|| member(name).filter(|url| is_https(url))).flatten()
    }
}

/// Whether a text is an https URL, as far as it takes to ask no other server than it seems to name.
fn is_https(url: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
    url.len() <= 512
        && url.bytes().all(allowed)
        && url
            .strip_prefix("https://")
            .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '['))
}
