//! The metadata of the authorization server (RFC 8414, section 2).

use crate::auth::scope::Scopes;
use crate::json::Object;

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

/// The grant types that the token endpoint knows.
pub const GRANT_TYPES: [&str; 2] = ["authorization_code", "refresh_token"];
/// The scope by which clients ask for a refresh token. Every client gets one.
pub const OFFLINE_ACCESS: &str = "offline_access";

/// The metadata of the server of this origin, JSON.
#[must_use]
pub fn metadata(origin: &str) -> String {
    let url = |path: &str| format!("{origin}{path}");
    Object::new()
        .text("issuer", origin)
        .text("authorization_endpoint", &url(AUTHORIZE))
        .text("token_endpoint", &url(TOKEN))
        .text("registration_endpoint", &url(REGISTER))
        .text("revocation_endpoint", &url(REVOKE))
        .texts("scopes_supported", Scopes::ALL.names().chain([OFFLINE_ACCESS]))
        .texts("response_types_supported", ["code"])
        .texts("response_modes_supported", ["query"])
        .texts("grant_types_supported", GRANT_TYPES)
        .texts("token_endpoint_auth_methods_supported", ["none"])
        .texts("revocation_endpoint_auth_methods_supported", ["none"])
        .texts("code_challenge_methods_supported", ["S256"])
        .json("authorization_response_iss_parameter_supported", "true")
        .json("client_id_metadata_document_supported", "true")
        .finish()
}
