//! The metadata of the authorization server (RFC 8414, section 2).

use serde_json::{Value, json};

use crate::auth::scope::Scopes;

/// Where the metadata is (RFC 8414, section 3), and where clients of OpenID look for it (section 5).
pub const PATHS: [&str; 2] = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];
/// The endpoints, which are where clients of MCP 2025-03-26 look for them without metadata.
pub const AUTHORIZE: &str = "/authorize";
/// Where the provider sends people back who have signed in.
pub const CALLBACK: &str = "/callback";
/// The token endpoint.
pub const TOKEN: &str = "/token";
/// The registration endpoint.
pub const REGISTER: &str = "/register";
/// The revocation endpoint.
pub const REVOKE: &str = "/revoke";

/// The metadata of the server of this origin.
#[must_use]
pub fn metadata(origin: &str) -> Value {
    let mut scopes: Vec<_> = Scopes::ALL.names().collect();
    scopes.push("offline_access");
    json!({
        "issuer": origin,
        "authorization_endpoint": format!("{origin}{AUTHORIZE}"),
        "token_endpoint": format!("{origin}{TOKEN}"),
        "registration_endpoint": format!("{origin}{REGISTER}"),
        "revocation_endpoint": format!("{origin}{REVOKE}"),
        "scopes_supported": scopes,
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": true,
        "client_id_metadata_document_supported": true,
    })
}
