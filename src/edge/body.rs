//! What a request's body must be: of one media type, uncompressed, of a bounded size. `src/entry.js` reads no more of any
//! than the largest may have.

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
/// The body, checked, with what the headers say of it.
///
/// # Errors
/// The inner one is the refusal.
pub(super) fn read(request: &Request, kind: Kind) -> worker::Result<Result<&[u8], Answer>> {
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
    Ok(request.body().filter(|body| body.len() <= kind.bytes).ok_or_else(|| too_large(kind)))
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
