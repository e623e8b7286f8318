//! The deployment's settings: the secrets `SEAL_KEYS` and `OWNER_KEY`, and the variables `ALLOWED_ORIGINS` and
//! `DEFAULT_CODEX`.

use std::cell::OnceCell;
use std::rc::Rc;

use worker::Env;

use crate::auth::{OwnerKey, SealKeys};

/// The settings, read and found usable.
pub(super) struct Config {
    pub(super) seal_keys: SealKeys,
    /// Without it nobody can make, list or revoke grants.
    pub(super) owner_key: Option<OwnerKey>,
    /// Origins of web pages that may use the server, with `*` for any port.
    pub(super) allowed_origins: Vec<String>,
    /// The codex that is proposed to an owner who allows a client.
    pub(super) default_codex: String,
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
        Ok(Self { seal_keys, owner_key, allowed_origins, default_codex })
    }
}
