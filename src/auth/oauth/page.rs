//! The pages that the owner sees: plain HTML without script, which nothing may frame, and whose form leads here and to the
//! client alone. What comes from outside is escaped, in [`escape`].

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest as _, Sha256};

use super::metadata::AUTHORIZE;
use super::person::Person;
use super::redirect;
use super::request::AuthorizationRequest;
use crate::auth::scope::{Scope, Scopes};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem;color:#1b1b1b;\
background:#fafafa}h1{font-size:1.4rem}label{display:block;margin:1rem 0 .25rem}input[id]{font:inherit;width:100%;padding:.5rem;\
box-sizing:border-box}fieldset{margin:1rem 0}button{font:inherit;padding:.5rem 1.5rem;margin:1.5rem .5rem 0 0}.client{overflow-wrap:anywhere}\
.error{color:#a40000}@media(prefers-color-scheme:dark){body{color:#eee;background:#1b1b1b}.error{color:#ff8a80}}";

/// A page and the content security policy that goes with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// The HTML.
    pub html: String,
    /// The value of `Content-Security-Policy`.
    pub policy: String,
}

impl Page {
    fn new(title: &str, body: &str, form_action: &str) -> Self {
        let html = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
             content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style></head><body>{body}</body></html>"
        );
        let style = STANDARD.encode(Sha256::digest(STYLE));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{style}'; form-action {form_action}; base-uri 'none'; frame-ancestors 'none'"
        );
        Self { html, policy }
    }
}

/// Text as HTML, for an element's content or a quoted attribute.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            // Neither control characters nor those that turn the direction of writing around.
            _ if character.is_control()
                || matches!(character, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') =>
            {
                html.push('\u{fffd}');
            }
            _ => html.push(character),
        }
    }
    html
}

/// A page that says why a request goes no further.
#[must_use]
pub fn refusal(reason: &str) -> Page {
    let body = format!(
        "<h1>This can’t be granted</h1><p>{}</p><p>Go back to the application and try again.</p>",
        escape(reason)
    );
    Page::new("Agent Codex", &body, "'none'")
}

/// A page that says why a request goes no further, and where its client can be told.
#[must_use]
pub fn rejection(reason: &str, location: &str) -> Page {
    let body = format!(
        "<h1>This can’t be granted</h1><p>{}.</p><p><a href=\"{}\">Tell {}</a></p>",
        escape(reason),
        escape(location),
        escape(&redirect::described(location))
    );
    Page::new("Agent Codex", &body, "'none'")
}

/// What the page asks for besides the decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Consent<'c> {
    /// The request, sealed.
    pub sealed: &'c str,
    /// The codex that is proposed to the owner.
    pub codex: &'c str,
    /// Who has signed in, to decide on their own codex; otherwise the owner decides.
    pub person: Option<&'c Person>,
    /// What was wrong with the decision before.
    pub problem: Option<&'c str>,
}

/// The page on which the owner decides.
#[must_use]
pub fn consent(request: &AuthorizationRequest, consent: Consent<'_>) -> Page {
    let mut body = format!(
        "<h1>{} asks for access to your notes</h1><p class=\"client\">{}</p><p>The answer goes to <b>{}</b>.{} You can end the access \
         at any time.</p>",
        escape(&calls_itself(request)),
        identity(request),
        escape(&redirect::described(&request.redirect_uri)),
        if redirect::is_loopback(&request.redirect_uri) {
            " Go on only if you have just started this sign-in yourself: any program on the device could ask in its name."
        } else {
            ""
        }
    );
    if let Some(problem) = consent.problem {
        let _ = write!(body, "<p class=\"error\" role=\"alert\">{}</p>", escape(problem));
    }
    let _ = write!(
        body,
        "<form method=\"post\" action=\"{AUTHORIZE}\"><input type=\"hidden\" name=\"request\" value=\"{}\">\
         <fieldset><legend>It may</legend>",
        escape(consent.sealed)
    );
    for (name, wording) in wanted(request.scopes) {
        let _ =
            write!(body, "<label><input type=\"checkbox\" name=\"{name}\" value=\"yes\" checked> {wording}</label>");
    }
    body.push_str("</fieldset>");
    match consent.person {
        Some(person) => {
            let _ = write!(body, "<p>You are <b>{}</b>, and this is about your own codex.</p>", escape(&person.called));
        }
        None => {
            let _ = write!(
                body,
                "<label for=\"codex\">Codex</label>\
                 <input id=\"codex\" name=\"codex\" value=\"{}\" autocomplete=\"username\" required maxlength=\"128\">\
                 <label for=\"owner_key\">Owner key</label>\
                 <input id=\"owner_key\" name=\"owner_key\" type=\"password\" autocomplete=\"current-password\">",
                escape(consent.codex)
            );
        }
    }
    body.push_str(
        "<button name=\"decision\" value=\"allow\">Allow</button><button name=\"decision\" value=\"deny\">Deny</button></form>",
    );
    let form_action = format!("'self' {}", redirect::policy_source(&request.redirect_uri));
    Page::new("Allow access?", &body, &form_action)
}

fn calls_itself(request: &AuthorizationRequest) -> String {
    request.client_name.as_ref().map_or_else(|| "An application".to_owned(), |name| format!("“{name}”"))
}

/// What is known of the client, and what is not.
fn identity(request: &AuthorizationRequest) -> String {
    match request.client_host() {
        Some(host) => format!("It is published by <b>{}</b>; the name is what it calls itself.", escape(&host)),
        None => "It registered itself: nobody has checked the name.".to_owned(),
    }
}

/// The scopes that are asked for, each with what it permits in plain words.
fn wanted(scopes: Scopes) -> impl Iterator<Item = (&'static str, &'static str)> {
    let wordings = [
        (Scope::Read, "search and read every note of the codex"),
        (Scope::Write, "save new notes and replace existing ones"),
    ];
    wordings
        .into_iter()
        .filter(move |(scope, _)| scopes.include(Scopes::NONE.with(*scope)))
        .map(|(scope, wording)| (scope.name(), wording))
}
