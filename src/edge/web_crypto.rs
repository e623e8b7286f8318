//! Signatures, verified by the runtime's own cryptography (Web Cryptography API) with a key that was read from a JWK, by the
//! algorithm that the key is for.

use js_sys::{JSON, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;
use worker::wasm_bindgen_futures::JsFuture;

use crate::auth::jwks::Jwk;
use crate::auth::jwt::{Algorithm, Unverified};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = ["crypto", "subtle"], js_name = importKey)]
    fn import_key(
        format: &str,
        key: &JsValue,
        algorithm: &JsValue,
        extractable: bool,
        usages: &JsValue,
    ) -> Result<Promise, JsValue>;

    // Both byte strings are copied before it returns (Web Cryptography API, section 14.3.5).
    #[wasm_bindgen(catch, js_namespace = ["crypto", "subtle"], js_name = verify)]
    fn verify_signature(algorithm: &JsValue, key: &JsValue, signature: &[u8], data: &[u8]) -> Result<Promise, JsValue>;
}

/// Whether the key's owner signed the token.
///
/// # Errors
/// When the key is none that the runtime takes.
pub(super) async fn verify(key: &Jwk, token: &Unverified<'_>) -> Result<bool, JsValue> {
    let algorithm = parameters(key.algorithm)?;
    let usages = js_sys::Array::of1(&"verify".into());
    let imported = import_key("jwk", &JSON::parse(&key.to_json())?, &algorithm, false, &usages)?;
    let imported = JsFuture::from(imported).await?;
    let verified = verify_signature(&algorithm, &imported, &token.signature, token.signing_input.as_bytes())?;
    Ok(JsFuture::from(verified).await?.is_truthy())
}

/// The algorithm as `WebCrypto` names it, for importing and for verifying alike.
fn parameters(algorithm: Algorithm) -> Result<Object, JsValue> {
    let members: &[(&str, &str)] = match algorithm {
        Algorithm::Es256 => &[("name", "ECDSA"), ("namedCurve", "P-256"), ("hash", "SHA-256")],
        Algorithm::Rs256 => &[("name", "RSASSA-PKCS1-v1_5"), ("hash", "SHA-256")],
        Algorithm::EdDsa => &[("name", "Ed25519")],
    };
    let parameters = Object::new();
    for (name, value) in members {
        Reflect::set(&parameters, &(*name).into(), &(*value).into())?;
    }
    Ok(parameters)
}
