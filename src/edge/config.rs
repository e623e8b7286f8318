//! The deployment's settings, secrets and variables; docs/operations.md lists them.

use std::cell::OnceCell;
use std::rc::Rc;

use worker::Env;

use super::oauth::sign_in::Provider;
use crate::auth::oauth::person::Allowed;
use crate::auth::{Issuer, OwnerKey, SealKeys};
use crate::notebook::quota::Quota;
use crate::object::QUOTA_SETTING;

/// A variable that is set to something.
fn variable(env: &Env, name: &str) -> Option<String> {
    env.var(name).ok().map(|value| value.to_string().trim().to_owned()).filter(|value| !value.is_empty())
}

/// The settings, read and found usable.
pub(super) struct Config {
    pub(super) seal_keys: SealKeys,
    /// Without it nobody can make, list or revoke grants.
    pub(super) owner_key: Option<OwnerKey>,
    /// Origins of web pages that may use the server, with `*` for any port.
    pub(super) allowed_origins: Vec<String>,
    /// The codex that is proposed to an owner who allows a client.
    pub(super) default_codex: String,
    /// The other issuers whose access tokens are accepted.
    pub(super) issuers: Vec<Issuer>,
    /// The provider with which people sign in.
    pub(super) provider: Option<Provider>,
    /// Cloudflare Access, in front of this server.
    pub(super) access: Option<Issuer>,
}

thread_local! {
    /// The settings that were read first: an isolate is of one deployment, whose settings don't change.
    static CONFIG: OnceCell<Rc<Config>> = const { OnceCell::new() };
}

impl Config {
    /// The settings.
    ///
    /// # Errors
    /// As for [`Config::read`].
    pub(super) fn of(env: &Env) -> Result<Rc<Self>, String> {
        if let Some(config) = CONFIG.with(|config| config.get().cloned()) {
            return Ok(config);
        }
        let config = Rc::new(Self::read(env)?);
        Ok(CONFIG.with(|first| Rc::clone(first.get_or_init(|| config))))
    }

    /// Reads the settings.
    ///
    /// # Errors
    /// What to set, for the log, when the server can't tell its own credentials.
    fn read(env: &Env) -> Result<Self, String> {
        let secret = |name: &str| env.secret(name).ok().map(|secret| secret.to_string());
        let setting = secret("SEAL_KEYS").ok_or(
            "The secret SEAL_KEYS is not set, so every call is refused. Set it to the base64url of 32 random bytes, with \
             `openssl rand 32 | basenc --base64url | npx wrangler secret put SEAL_KEYS`.",
        )?;
        let seal_keys = SealKeys::parse(&setting)
            .map_err(|reason| format!("The secret SEAL_KEYS is not usable, so every call is refused: {reason}."))?;
        let owner_key = match secret("OWNER_KEY") {
            None => None,
            Some(setting) => {
                Some(OwnerKey::parse(&setting).ok_or("The secret OWNER_KEY is not the base64url of 32 bytes.")?)
            }
        };
        let origins = env.var("ALLOWED_ORIGINS").map(|origins| origins.to_string()).unwrap_or_default();
        let allowed_origins = origins.split_whitespace().map(str::to_owned).collect();
        let default_codex = env.var("DEFAULT_CODEX").map_or_else(|_| "main".to_owned(), |name| name.to_string());
        let issuers = match env.var("ISSUERS").map(|issuers| issuers.to_string()) {
            Ok(setting) if !setting.trim().is_empty() => Issuer::parse_all(&setting)
                .map_err(|reason| format!("The variable ISSUERS is not usable, so every call is refused: {reason}."))?,
            _ => Vec::new(),
        };
        if variable(env, QUOTA_SETTING).is_some_and(|setting| Quota::parse(&setting).is_none()) {
            return Err(format!(
                "The variable {QUOTA_SETTING} is not a number from 1 to 9000, so every call is refused."
            ));
        }
        let provider = Self::provider(env)?;
        let access = Self::access(env)?;
        Ok(Self { seal_keys, owner_key, allowed_origins, default_codex, issuers, provider, access })
    }

    fn provider(env: &Env) -> Result<Option<Provider>, String> {
        let Some(issuer) = variable(env, "OIDC_ISSUER") else { return Ok(None) };
        let needed = |name: &str| format!("OIDC_ISSUER is set, and {name} is not, so every call is refused.");
        let client_id = variable(env, "OIDC_CLIENT_ID").ok_or_else(|| needed("OIDC_CLIENT_ID"))?;
        let client_secret = env.secret("OIDC_CLIENT_SECRET").map_err(|_| needed("OIDC_CLIENT_SECRET"))?.to_string();
        let allowed = variable(env, "OIDC_ALLOWED").ok_or_else(|| needed("OIDC_ALLOWED"))?;
        let issuer = Issuer::of_people(&issuer, &client_id, None)
            .map_err(|reason| format!("OIDC_ISSUER is not usable, so every call is refused: {reason}."))?;
        Ok(Some(Provider { issuer, client_id, client_secret, allowed: Allowed::parse(&allowed) }))
    }

    fn access(env: &Env) -> Result<Option<Issuer>, String> {
        let Some(issuer) = variable(env, "ACCESS_ISSUER") else { return Ok(None) };
        let audience = variable(env, "ACCESS_AUDIENCE")
            .ok_or("ACCESS_ISSUER is set, and ACCESS_AUDIENCE is not, so every call is refused.")?;
        Issuer::of_people(&issuer, &audience, Some(format!("{issuer}/cdn-cgi/access/certs")))
            .map(Some)
            .map_err(|reason| format!("ACCESS_ISSUER is not usable, so every call is refused: {reason}."))
    }
}
