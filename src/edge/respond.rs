//! Answers: a status, headers and a body, made into a response in one place.

use std::borrow::Cow;

use wasm_bindgen::prelude::*;
use worker::web_sys;

use super::codex::UNAVAILABLE;
use crate::auth::Challenge;
use crate::json::Object;

#[wasm_bindgen(module = "/src/bridge.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    fn respond(status: u16, headers: &str, body: Option<Vec<u8>>) -> Result<web_sys::Response, JsValue>;
}

/// An HTTP answer.
pub(super) struct Answer {
    status: u16,
    headers: Vec<(&'static str, Cow<'static, str>)>,
    body: Option<String>,
}

impl Answer {
    /// An answer without a body.
    pub(super) fn empty(status: u16) -> Self {
        Self { status, headers: vec![("Cache-Control", Cow::Borrowed("no-store"))], body: None }
    }

    /// An answer with a JSON body.
    pub(super) fn json(status: u16, body: String) -> Self {
        let mut answer = Self::empty(status).with_header("Content-Type", "application/json");
        answer.body = Some(body);
        answer
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
        answer.body = Some(html);
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

    pub(super) fn into_response(self) -> worker::Result<web_sys::Response> {
        let lines: Vec<_> = self.headers.iter().map(|(name, value)| format!("{name}:{value}")).collect();
        Ok(respond(self.status, &lines.join("\n"), self.body.map(String::into_bytes))?)
    }
}
