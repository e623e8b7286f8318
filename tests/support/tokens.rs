//! Tokens of an issuer, made of their parts; nobody signs them.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::START;

pub const ISSUER: &str = "https://issuer.example";
pub const RESOURCE: &str = "https://notes.example/mcp";
pub const SECONDS: i64 = START / 1000;

fn encode(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
}

pub fn token_of(header: &str, claims: &str) -> String {
    format!("{}.{}.{}", encode(header), encode(claims), encode("signature"))
}

pub fn header() -> Value {
    json!({"alg": "ES256", "kid": "one", "typ": "at+jwt"})
}

pub fn claims() -> Value {
    json!({"iss": ISSUER, "sub": "ada", "aud": RESOURCE, "exp": SECONDS + 600, "iat": SECONDS, "jti": "1", "scope": "notes:read"})
}

/// An object with members changed; null removes one.
pub fn with(mut object: Value, changes: Value) -> String {
    let Value::Object(changes) = changes else { panic!("no object") };
    for (name, value) in changes {
        object[name] = value;
    }
    object.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    object.to_string()
}
