//! Authorisation: who may do what in which codex. This module is pure.
//!
//! A credential is a bearer token that this Worker sealed: it names a codex, a grant of that codex and the grant's
//! scopes. The edge opens it, which tells a forgery without waking anything; the codex then checks the grant that it
//! keeps, in the same turn as the call, so that a revoked grant stops the very next call.

pub mod challenge;
pub mod credential;
pub mod grant;
pub mod oauth;
pub mod owner;
pub mod scope;
pub mod seal;

pub use challenge::Challenge;
pub use credential::{CodexName, Credential, Resource};
pub use grant::{Grant, GrantId, Refusal};
pub use owner::OwnerKey;
pub use scope::{Scope, Scopes};
pub use seal::SealKeys;
