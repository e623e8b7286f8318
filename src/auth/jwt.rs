//! JSON Web Tokens (RFC 7519) as signed by others: read first, believed when all of it holds.
//!
//! A token is read without trust into [`Unverified`]. It is good when [`Expected::check`] finds its type and claims right
//! and its signature verifies with a key of the issuer's: see [`super::jwks`], which pins the algorithm to the key. Of the
//! header nothing but `alg`, `kid` and `typ` is looked at, so a key or an address in it (`jwk`, `jku`, `x5u`) is nothing;
//! `crit` refuses the token, since it names what must be understood (RFC 7515, section 4.1.11). JSON with a member twice is
//! refused, so nobody else reads another token than this module does.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::members::{Wrong, optional, optional_text, parse_object, required, required_text, texts};
use crate::json::Node;
use crate::notebook::time::{SECOND, Timestamp};

/// Characters of the longest token that is looked at.
pub const TOKEN_CHARACTERS: usize = 8_192;
/// By how much the issuer's clock may differ from this one, in milliseconds.
pub const CLOCK_SKEW: i64 = 60 * SECOND;

/// A signature algorithm (RFC 7518, section 3.1; RFC 8037, section 3.1). There are no others here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Algorithm {
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
    /// Ed25519.
    EdDsa,
}

impl Algorithm {
    /// The algorithm that a token or a key names.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "ES256" => Some(Self::Es256),
            "RS256" => Some(Self::Rs256),
            "EdDSA" => Some(Self::EdDsa),
            _ => None,
        }
    }
}

/// Why a token is not believed. It is for the log and the tests; whoever sent the token is not told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// It is not a signed token of this form, or a claim is of the wrong kind.
    Malformed,
    /// Its algorithm is not one of ours.
    Algorithm,
    /// Its header demands that something be understood.
    Critical,
    /// It is a token of another type.
    Type,
    /// It is of another issuer.
    Issuer,
    /// It is for somebody else.
    Audience,
    /// It names nobody.
    Subject,
    /// Its time is over.
    Expired,
    /// Its time has not come.
    NotYetValid,
    /// The issuer has no such key, or its keys can't be had.
    Key,
    /// The signature is not the issuer's.
    Signature,
}

impl From<Wrong> for Reason {
    fn from(_: Wrong) -> Self {
        Self::Malformed
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Malformed => "it is malformed, or has a claim of the wrong kind",
            Self::Algorithm => "its algorithm is not ES256, RS256 or EdDSA",
            Self::Critical => "its header has crit",
            Self::Type => "its typ is not one of those that are accepted",
            Self::Issuer => "its iss is another",
            Self::Audience => "its aud is another",
            Self::Subject => "its sub is empty",
            Self::Expired => "it has expired",
            Self::NotYetValid => "its nbf or iat is in the future",
            Self::Key => "the issuer has no such key, or its keys can't be had",
            Self::Signature => "its signature is wrong",
        })
    }
}

/// What a token says; of the optional claims, those that somebody here reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claims {
    /// `iss`.
    pub issuer: String,
    /// `sub`.
    pub subject: String,
    /// `aud`, one or several.
    pub audience: Vec<String>,
    /// `exp`.
    pub expires_at: Timestamp,
    /// `nbf`.
    pub not_before: Option<Timestamp>,
    /// `iat`.
    pub issued_at: Option<Timestamp>,
    /// `jti`.
    pub id: Option<String>,
    /// The words of `scope` (RFC 8693, section 4.2), or of `scp`, as some issuers call it.
    pub scopes: Vec<String>,
    /// `nonce`, of an `id_token`.
    pub nonce: Option<String>,
    /// `azp`, of an `id_token`.
    pub authorized_party: Option<String>,
    /// `email`.
    pub email: Option<String>,
    /// Whether `email_verified` is true; some issuers write it as a string.
    pub email_verified: bool,
}

/// A token that was read, and is not believed yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unverified<'t> {
    /// The algorithm that it claims to be signed with.
    pub algorithm: Algorithm,
    /// The key's id, to be compared with those of the issuer's keys.
    pub kid: Option<String>,
    /// `typ`, in lower case and without `application/`; `jwt` where there is none.
    pub typ: String,
    /// What it says.
    pub claims: Claims,
    /// What the signature is over.
    pub signing_input: &'t str,
    /// The signature.
    pub signature: Vec<u8>,
}

impl<'t> Unverified<'t> {
    /// Reads a token in the compact form.
    ///
    /// # Errors
    /// Why it can't be read.
    pub fn parse(token: &'t str) -> Result<Self, Reason> {
        if token.len() > TOKEN_CHARACTERS {
            return Err(Reason::Malformed);
        }
        let (signing_input, signature) = token.rsplit_once('.').ok_or(Reason::Malformed)?;
        let (header, claims) = signing_input.split_once('.').ok_or(Reason::Malformed)?;
        let (header, claims) = (decode(header)?, decode(claims)?);
        let (algorithm, kid, typ) = read_header(parse_object(&header).ok_or(Wrong)?.root())?;
        let claims = read_claims(parse_object(&claims).ok_or(Wrong)?.root())?;
        Ok(Self { algorithm, kid, typ, claims, signing_input, signature: decode(signature)? })
    }
}

/// What a token must be, besides signed.
#[derive(Debug, Clone, Copy)]
pub struct Expected<'e> {
    /// The issuer, to the letter.
    pub issuer: &'e str,
    /// Whom the token must be for, perhaps among others.
    pub audience: &'e str,
    /// The types that it may be of, as [`media_type`] writes them.
    pub types: &'e [String],
}

impl Expected<'_> {
    /// Checks the type and the claims.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn check(&self, token: &Unverified<'_>, now: Timestamp) -> Result<(), Reason> {
        let claims = &token.claims;
        let later = |time: Option<Timestamp>| time.is_some_and(|time| now.plus(CLOCK_SKEW) < time);
        let wrong = [
            (claims.issuer != self.issuer, Reason::Issuer),
            (!self.types.contains(&token.typ), Reason::Type),
            (!claims.audience.iter().any(|audience| audience == self.audience), Reason::Audience),
            (claims.subject.is_empty(), Reason::Subject),
            (claims.expires_at.plus(CLOCK_SKEW) <= now, Reason::Expired),
            (later(claims.not_before) || later(claims.issued_at), Reason::NotYetValid),
        ];
        wrong.into_iter().find(|(is_wrong, _)| *is_wrong).map_or(Ok(()), |(_, reason)| Err(reason))
    }
}

/// A `typ` as types are compared: without case, and without `application/` (RFC 7515, section 4.1.9).
#[must_use]
pub fn media_type(typ: &str) -> String {
    let typ = typ.to_ascii_lowercase();
    typ.strip_prefix("application/").map(str::to_owned).unwrap_or(typ)
}

fn decode(part: &str) -> Result<Vec<u8>, Wrong> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| Wrong)
}

fn read_header(header: Node<'_>) -> Result<(Algorithm, Option<String>, String), Reason> {
    if header.member("crit").is_some() {
        return Err(Reason::Critical);
    }
    let algorithm = Algorithm::parse(&required_text(header, "alg")?).ok_or(Reason::Algorithm)?;
    let typ = optional_text(header, "typ")?;
    Ok((algorithm, optional_text(header, "kid")?, media_type(typ.as_deref().unwrap_or("JWT"))))
}

fn read_claims(claims: Node<'_>) -> Result<Claims, Wrong> {
    let scopes = match optional(claims, "scope", texts)? {
        Some(scopes) => Some(scopes),
        None => optional(claims, "scp", texts)?,
    };
    let is_true = |value: Node<'_>| value.as_bool() == Some(true) || value.as_str().as_deref() == Some("true");
    Ok(Claims {
        issuer: required_text(claims, "iss")?,
        subject: required_text(claims, "sub")?,
        audience: required(claims, "aud", texts)?,
        expires_at: required(claims, "exp", time)?,
        not_before: optional(claims, "nbf", time)?,
        issued_at: optional(claims, "iat", time)?,
        id: optional_text(claims, "jti")?,
        scopes: scopes.iter().flatten().flat_map(|text| text.split(' ')).map(str::to_owned).collect(),
        nonce: optional_text(claims, "nonce")?,
        authorized_party: optional_text(claims, "azp")?,
        email: optional_text(claims, "email")?,
        email_verified: claims.member("email_verified").is_some_and(is_true),
    })
}

/// A `NumericDate` (RFC 7519, section 2): seconds since 1970, perhaps with a fraction.
fn time(value: Node<'_>) -> Option<Timestamp> {
    // A number that no double holds is no time: what would be read of it depends on the reader.
    let seconds = Some(value.as_number()?.as_f64()).filter(|seconds| seconds.is_finite())?;
    let milliseconds = seconds * 1_000.0;
    // A time beyond all clocks becomes the last moment or the first.
    #[allow(clippy::cast_possible_truncation)]
    Some(Timestamp::from_milliseconds(milliseconds as i64))
}
