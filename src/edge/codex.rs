//! The way to a codex: one request to its object, whose name is the codex's.

use worker::{Env, Method, Request, RequestInit};

use crate::auth::CodexName;
use crate::codex::message::{Message, Outcome};

/// Asks a codex.
///
/// # Errors
/// When the object can't be reached or breaks; whether it has done what was asked is then not known.
pub(super) async fn ask(env: &Env, codex: &CodexName, message: &Message) -> worker::Result<Outcome> {
    let body = serde_json::to_string(message)?;
    let mut init = RequestInit::new();
    init.with_method(Method::Post).with_body(Some(body.into()));
    let request = Request::new_with_init("https://codex/", &init)?;
    let stub = env.durable_object("CODEX")?.get_by_name(codex.as_str())?;
    let mut response = stub.fetch_with_request(request).await?;
    let (status, body) = (response.status_code(), response.text().await?);
    Outcome::from_wire(status, body)
        .ok_or_else(|| worker::Error::RustError(format!("a codex answered with status {status}")))
}
