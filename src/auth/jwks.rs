//! The public keys of an issuer (RFC 7517), and which of them may verify a token.
//!
//! The algorithm of a key is told by the key alone: its type, curve, `alg` and `use`. A token can choose among the keys
//! that fit the algorithm it claims, and no claim makes a key verify by another: an RSA key never becomes a secret, since
//! there are no secrets here. A `kid` is compared, and is nothing else.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::jwt::Algorithm;
use super::members::{Wrong, optional, optional_text, parse_object, required_text, texts};
use crate::json::{Kind, Node, Object};

/// Bytes of an RSA modulus: 2,048 bits at least (RFC 7518, section 3.3), 8,192 at most.
const MODULUS_BYTES: std::ops::RangeInclusive<usize> = 256..=1_024;

/// A public key that verifies signatures by one algorithm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Jwk {
    /// The algorithm.
    pub algorithm: Algorithm,
    kid: Option<String>,
    /// The members that make the key, and no other that the issuer may have sent.
    members: Vec<(&'static str, String)>,
}

impl Jwk {
    /// The key as a JWK of its type and its public numbers.
    #[must_use]
    pub fn to_json(&self) -> String {
        self.members.iter().fold(Object::new(), |key, (name, value)| key.text(name, value)).finish()
    }

    /// The key that an element of a set is.
    fn read(key: Node<'_>) -> Result<Self, Wrong> {
        let number = |name: &'static str| {
            let number = required_text(key, name)?;
            if is_sound(name, &number) { Ok((name, number)) } else { Err(Wrong) }
        };
        let curve = optional_text(key, "crv")?;
        let (algorithm, kind, numbers) = match (required_text(key, "kty")?.as_str(), curve.as_deref()) {
            ("EC", Some("P-256")) => (Algorithm::Es256, vec![("kty", "EC"), ("crv", "P-256")], vec!["x", "y"]),
            ("OKP", Some("Ed25519")) => (Algorithm::EdDsa, vec![("kty", "OKP"), ("crv", "Ed25519")], vec!["x"]),
            ("RSA", None) => (Algorithm::Rs256, vec![("kty", "RSA")], vec!["n", "e"]),
            _ => return Err(Wrong),
        };
        let is_secret = ["d", "k"].into_iter().any(|name| key.member(name).is_some());
        let is_other = optional_text(key, "alg")?.is_some_and(|name| Algorithm::parse(&name) != Some(algorithm))
            || optional_text(key, "use")?.is_some_and(|purpose| purpose != "sig")
            || optional(key, "key_ops", texts)?.is_some_and(|operations| !operations.iter().any(|it| it == "verify"));
        if is_secret || is_other {
            return Err(Wrong);
        }
        let kind = kind.into_iter().map(|(name, value)| Ok((name, value.to_owned())));
        let members = kind.chain(numbers.into_iter().map(number)).collect::<Result<_, Wrong>>()?;
        Ok(Self { algorithm, kid: optional_text(key, "kid")?, members })
    }
}

/// Whether a number of a key is base64url of the right length.
fn is_sound(name: &str, value: &str) -> bool {
    let bytes = || URL_SAFE_NO_PAD.decode(value).unwrap_or_default();
    match name {
        "x" | "y" => bytes().len() == 32,
        "n" => MODULUS_BYTES.contains(&bytes().iter().skip_while(|byte| **byte == 0).count()),
        "e" => (1..=8).contains(&bytes().len()),
        _ => true,
    }
}

/// The keys of an issuer that can verify.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Jwks(Vec<Jwk>);

impl Jwks {
    /// Reads a key set; keys of other kinds are left out (RFC 7517, section 5).
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let document = parse_object(bytes)?;
        let keys = document.root().member("keys").filter(|keys| keys.kind() == Kind::Array)?;
        Some(Self(keys.elements().filter_map(|key| Jwk::read(key).ok()).collect()))
    }

    /// The key that a token may be verified with: the only one of that algorithm and, where the token names one, of that id.
    #[must_use]
    pub fn select(&self, algorithm: Algorithm, kid: Option<&str>) -> Option<&Jwk> {
        let fits = |key: &&Jwk| key.algorithm == algorithm && (kid.is_none() || key.kid.as_deref() == kid);
        let mut fitting = self.0.iter().filter(fits);
        fitting.next().filter(|_| fitting.next().is_none())
    }
}
