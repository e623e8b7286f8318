//! Answers: a status, headers and a body, made into a response in one place.

use std::borrow::Cow;

use wasm_bindgen::prelude::*;

use super::codex::UNAVAILABLE;
use crate::auth::{Challenge, CodexName, GrantId};
use crate::codex::message::Message;
use crate::json::Object;

#[wasm_bindgen(raw_module = "../bridge.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    fn respond(status: u16, headers: &str, body: Option<Vec<u8>>) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_name = question)]
    fn js_question(lines: &str, message: &[u8], repeatable: bool) -> Result<JsValue, JsValue>;
}

/// An HTTP answer.
pub(super) struct Answer {
    status: u16,
    headers: Vec<(&'static str, Cow<'static, str>)>,
    body: Body,
}

enum Body {
    None,
    Text(String),
    /// What a codex answers to this.
    Asked(Box<Question>),
}

/// What a codex is to be asked before a request is answered.
pub(super) struct Question {
    pub(super) codex: CodexName,
    /// The grant whose call it is.
    pub(super) grant: GrantId,
    pub(super) message: Message,
}

impl Answer {
    /// An answer without a body.
    pub(super) fn empty(status: u16) -> Self {
        Self { status, headers: vec![("Cache-Control", Cow::Borrowed("no-store"))], body: Body::None }
    }

    /// An answer with a JSON body.
    pub(super) fn json(status: u16, body: String) -> Self {
        Self { body: Body::Text(body), ..Self::empty(status).with_header("Content-Type", "application/json") }
    }

    /// The JSON that a codex answers.
    pub(super) fn of_codex(question: Question) -> Self {
        Self { body: Body::Asked(Box::new(question)), ..Self::json(200, String::new()) }
    }

    /// An error of HTTP's, with a code for programs and a sentence for people.
    pub(super) fn error(status: u16, code: &str, description: &str) -> Self {
        Self::json(status, Object::new().text("error", code).text("error_description", description).finish())
    }

    /// An answer with a page, which nothing may frame, and which says to nobody else where it was.
    pub(super) fn html(status: u16, html: String) -> Self {
        let mut answer = Self::empty(status)
            .with_header("Content-Type", "text/html; charset=utf-8")
            .with_header("X-Frame-Options", "DENY")
            .with_header("X-Content-Type-Options", "nosniff")
            .with_header("Referrer-Policy", "same-origin");
        answer.body = Body::Text(html);
        answer
    }

    /// The same, told by the body of `page`, for people.
    pub(super) fn told_by(self, page: Self) -> Self {
        let retry_after = self.headers.into_iter().filter(|(name, _)| *name == "Retry-After");
        Self { status: self.status, headers: page.headers.into_iter().chain(retry_after).collect(), body: page.body }
    }

    /// The method is not one of `allowed`.
    pub(super) fn method_not_allowed(allowed: &'static str) -> Self {
        Self::error(405, "method_not_allowed", "The resource does not have this method").with_header("Allow", allowed)
    }

    /// The request is not authorised; `origin` is this server's own.
    pub(super) fn challenge(challenge: Challenge, origin: &str) -> Self {
        Self::json(challenge.status(), challenge.body()).with_header("WWW-Authenticate", challenge.header(origin))
    }

    /// Something broke here, and is in the log.
    pub(super) fn internal() -> Self {
        Self::error(500, "internal", "Something broke in the server")
    }

    /// A codex can't be asked at the moment.
    pub(super) fn unavailable() -> Self {
        let reason = "The codex can't be reached at the moment, or has too much to do; try again";
        Self::error(UNAVAILABLE, "temporarily_unavailable", reason).retried_later()
    }

    /// Says that the request may be made again in some seconds.
    pub(super) fn retried_later(self) -> Self {
        self.with_header("Retry-After", "5")
    }

    pub(super) fn with_header(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The answer as `src/entry.js` takes it: a response, or a question to a codex.
    pub(super) fn into_js(self) -> worker::Result<JsValue> {
        let lines: Vec<_> = self.headers.iter().map(|(name, value)| format!("{name}:{value}")).collect();
        let headers = lines.join("\n");
        Ok(match self.body {
            Body::None => respond(self.status, &headers, None)?,
            Body::Text(text) => respond(self.status, &headers, Some(text.into_bytes()))?,
            Body::Asked(question) => {
                let Question { codex, grant, message } = *question;
                let wire = message.to_wire().map_err(|error| worker::Error::RustError(error.to_string()))?;
                let lines = format!("{}\n{grant}\n{headers}", codex.as_str());
                js_question(&lines, &wire, message.is_repeatable())?
            }
        })
    }
}
