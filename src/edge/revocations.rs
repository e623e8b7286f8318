//! The owner's endpoint for what other issuers vouch for. `POST /revocations?issuer=…&subject=…` revokes a subject, used or
//! not; with `{"jti","keepSeconds"?}` it revokes one token of the subject's.

use worker::Env;

use super::config::Config;
use super::request::Request;
use super::respond::Answer;
use super::{body, codex, grants};
use crate::auth::external::{Revocation, Subject, TokenId};
use crate::codex::message::{Message, Outcome};
use crate::json::{self, Kind};

pub(super) async fn serve(request: &Request, env: &Env, config: &Config) -> worker::Result<Answer> {
    if let Err(refusal) = grants::check_owner(request, env, config).await? {
        return Ok(refusal);
    }
    if request.method() != "POST" {
        return Ok(Answer::method_not_allowed("POST"));
    }
    let Some((issuer, Subject { codex, grant, label })) = grants::subject_of(request) else {
        return Ok(grants::invalid("?issuer= and &subject= must name whom to revoke"));
    };
    let body = match body::read(request, body::JSON)? {
        Ok(body) => body,
        Err(refusal) => return Ok(refusal),
    };
    let Some((jti, lifetime)) = asked(body).filter(|(jti, lifetime)| jti.is_some() || lifetime.is_none()) else {
        return Ok(grants::invalid("The body must be {} or {\"jti\": string, \"keepSeconds\"?: integer}"));
    };
    let token = jti.map(|jti| TokenId::of(&issuer, &jti));
    let message = Message::RevokeExternal(Revocation { grant, label, token, lifetime });
    match codex::ask(env, &codex, &message).await? {
        Outcome::Result(_) => Ok(Answer::empty(204)),
        outcome => Err(grants::unexpected(&outcome)),
    }
}

/// The `jti` of a body, and for how many milliseconds to keep its revocation.
fn asked(body: &[u8]) -> Option<(Option<String>, Option<i64>)> {
    let document = json::parse(body).ok().filter(|document| document.flaws().is_empty())?;
    let root = (document.root().kind() == Kind::Object).then(|| document.root())?;
    let (mut jti, mut lifetime) = (None, None);
    for (name, value) in root.members() {
        match &*name {
            "jti" => jti = Some(value.as_str()?.into_owned()),
            "keepSeconds" => lifetime = Some(grants::lifetime_of(value)?),
            _ => return None,
        }
    }
    Some((jti, lifetime))
}
