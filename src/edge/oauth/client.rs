//! Clients: how they register, and how the client of an id is found.

use worker::{Env, console_log};

use crate::auth::oauth::client::{Client, DOCUMENT_BYTES, is_document_url};
use crate::clock::now;
use crate::edge::config::Config;
use crate::edge::request::Request;
use crate::edge::respond::Answer;
use crate::edge::{body, limits, outgoing};
use crate::notebook::time::SECOND;

/// Registers a client (RFC 7591, section 3). Nothing is stored: the client's id holds it all.
pub(super) fn register(request: &Request, config: &Config) -> worker::Result<Answer> {
    let body = match body::read(request, body::REGISTRATION)? {
        Ok(body) => body,
        Err(refusal) => return Ok(refusal),
    };
    Ok(match Client::from_registration(body) {
        Ok(client) => {
            let issued_at = now().milliseconds() / SECOND;
            Answer::json(201, client.registered(&client.seal(&config.seal_keys), issued_at))
        }
        Err(error) => Answer::oauth_error(error),
    })
}

/// The client of an id.
///
/// # Errors
/// The inner one is the answer for the browser: why there is none, or that its address asks too much.
pub(super) async fn find(
    id: &str,
    request: &Request,
    env: &Env,
    config: &Config,
) -> worker::Result<Result<Client, Answer>> {
    if !id.starts_with("https:") {
        let client = Client::open(&config.seal_keys, id);
        return Ok(client.ok_or_else(|| unfound("This server does not know the client; it must register again.")));
    }
    let own = request.origin().to_owned();
    let own = own.split_once("://").map_or("", |(_, host)| host);
    if !is_document_url(id, own) {
        return Ok(Err(unfound("The client id is not a URL that a metadata document may have.")));
    }
    // A fetch is work for others too.
    if let Err(answer) = limits::count_failure(env, request).await {
        return Ok(Err(answer));
    }
    let found = match outgoing::get(id, DOCUMENT_BYTES, outgoing::Caching::Hour).await {
        Ok(body) => Client::from_document(id, &body).map_err(|error| error.description.to_owned()),
        Err(reason) => Err(reason),
    };
    Ok(found.map_err(|reason| {
        console_log!("A client's metadata document is not usable: {}", reason.escape_debug());
        unfound("The client's metadata document can't be fetched, or is not usable.")
    }))
}

fn unfound(reason: &str) -> Answer {
    Answer::refusal(400, reason)
}
