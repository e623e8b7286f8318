//! Authorisation: who may do what in which codex. This module is pure.
//!
//! A credential is a bearer token that this Worker sealed: it names a codex, a grant of that codex and the grant's
//! scopes. The edge opens it, which tells a forgery without waking anything; the codex then checks the grant that it
//! keeps, in the same turn as the call, so that a revoked grant stops the very next call.
//!
//! An access token of another issuer that the deployment trusts is taken too: the edge verifies it ([`jwt`], [`jwks`],
//! [`issuer`]), and the codex checks what was revoked ([`external`]) in the same turn as the call.

pub mod access;
pub mod challenge;
pub mod credential;
pub mod external;
pub mod grant;
pub mod issuer;
pub mod jwks;
pub mod jwt;
pub mod key_cache;
mod known;
mod members;
pub mod oauth;
pub mod owner;
pub mod scope;
pub mod seal;

pub use access::{Access, Caller};
pub use challenge::Challenge;
pub use credential::{CodexName, Credential, Resource};
pub use grant::{Grant, GrantId, Refusal};
pub use issuer::Issuer;
pub use known::KnownGrants;
pub use owner::OwnerKey;
pub use scope::{Scope, Scopes};
pub use seal::SealKeys;
