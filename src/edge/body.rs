//! A request's body: of one media type, uncompressed, of a bounded size. A larger one is refused without being read whole.

use super::request::Request;
use super::respond::Answer;
use crate::auth::oauth::form;

/// What a body must be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    media_type: &'static str,
    /// Bytes, at most.
    bytes: usize,
    too_large: &'static str,
}

/// A message of JSON.
pub(super) const JSON: Kind =
    Kind { media_type: "application/json", bytes: 1_048_576, too_large: "The body must be at most 1 MiB" };
/// A client's registration.
pub(super) const REGISTRATION: Kind =
    Kind { media_type: "application/json", bytes: 16_384, too_large: "The body must be at most 16 KiB" };
/// A form.
pub(super) const FORM: Kind = Kind {
    media_type: "application/x-www-form-urlencoded",
    bytes: form::BYTES,
    too_large: "The body must be at most 32 KiB",
};
/// Bytes of a refused request's body that are read, at most.
const DISCARDED_BYTES: usize = 16_384;

/// Checks what the headers say of the body, and reads it.
///
/// # Errors
/// The inner one is the refusal.
pub(super) async fn read(request: &mut Request, kind: Kind) -> worker::Result<Result<Vec<u8>, Answer>> {
    let headers = request.headers();
    let length = headers.get("Content-Length")?.and_then(|length| length.parse::<usize>().ok());
    if length.is_some_and(|length| length > kind.bytes) {
        return Ok(Err(too_large(kind)));
    }
    if !headers.get("Content-Type")?.is_some_and(|value| essence(&value).eq_ignore_ascii_case(kind.media_type)) {
        let description = format!("The body must be {}", kind.media_type);
        return Ok(Err(Answer::error(415, "unsupported_media_type", &description)));
    }
    if headers.get("Content-Encoding")?.is_some_and(|value| !value.eq_ignore_ascii_case("identity")) {
        return Ok(Err(Answer::error(415, "unsupported_encoding", "The body must not be compressed")));
    }
    let answers_json = kind.media_type == JSON.media_type;
    if answers_json && headers.get("Accept")?.is_some_and(|value| !accepts_json(&value)) {
        return Ok(Err(Answer::error(
            406,
            "not_acceptable",
            "The answer is application/json, which Accept must allow",
        )));
    }
    let body = match length {
        Some(_) => request.bytes().await.map(Some),
        None if request.has_body() => request.bytes_up_to(kind.bytes).await,
        None => Ok(Some(Vec::new())),
    };
    Ok(match body {
        Ok(Some(body)) => Ok(body),
        Ok(None) => Err(too_large(kind)),
        // The client has gone, or has sent no body that HTTP knows.
        Err(_) => Err(Answer::error(400, "incomplete_body", "The body ended before its end")),
    })
}

/// Reads and drops the body of a request that was answered without looking at it, if it is small: where the runtime
/// closes the connection over an unread body, a client that keeps connections would lose its next request.
pub(super) async fn discard(request: &mut Request) -> worker::Result<()> {
    let length = request.headers().get("Content-Length")?.and_then(|length| length.parse::<usize>().ok());
    if request.has_body() && length.is_some_and(|length| length <= DISCARDED_BYTES) {
        // That it can't be read changes nothing of the answer.
        let _ = request.bytes().await;
    }
    Ok(())
}

fn too_large(kind: Kind) -> Answer {
    Answer::error(413, "body_too_large", kind.too_large)
}

/// The media type before its parameters.
fn essence(value: &str) -> &str {
    value.split(';').next().unwrap_or_default().trim()
}

fn accepts_json(accept: &str) -> bool {
    let json = ["application/json", "application/*", "*/*"];
    accept.split(',').any(|range| json.iter().any(|wanted| essence(range).eq_ignore_ascii_case(wanted)))
}
