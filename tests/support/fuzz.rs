//! What arbitrary bytes must not break: one function for each way in, run by the fuzzer (`fuzz/`) and, over its corpus and
//! changes of it, by `tests/fuzz_corpus.rs`. Each panics where a promise is broken.

use std::cell::RefCell;

use agent_codex::auth::access::Access;
use agent_codex::auth::issuer::Issuer;
use agent_codex::auth::jwks::Jwks;
use agent_codex::auth::jwt::{Algorithm, Expected, Unverified};
use agent_codex::auth::oauth::client::Client;
use agent_codex::auth::oauth::form::Parameters;
use agent_codex::auth::oauth::page::{Consent, consent};
use agent_codex::auth::oauth::request::{AuthorizationRequest, Pending, Rejection, check};
use agent_codex::auth::oauth::token::{Code, RefreshToken};
use agent_codex::auth::{CodexName, Credential, GrantId, Scope, Scopes, SealKeys};
use agent_codex::codex::message::{Message, Outcome};
use agent_codex::json::{self, FlawKind};
use agent_codex::mcp::era::Headers;
use agent_codex::mcp::{Exchange, Step, receive};
use agent_codex::notebook::arguments::{Call, Search, Tool};
use agent_codex::notebook::text::{EXCERPT_CHARACTERS, excerpt, fold, head};
use agent_codex::notebook::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::TestCodex;
use super::tokens::{self, RESOURCE, token_of};

/// A target by its name: what the fuzzer calls with bytes.
pub type Target = fn(&[u8]);

/// Every target.
pub const TARGETS: [(&str, Target); 9] = [
    ("envelope", envelope),
    ("arguments", arguments),
    ("cursor", cursor),
    ("credential", credential),
    ("wire", wire),
    ("form", form),
    ("token", token),
    ("folding", folding),
    ("json", json_text),
];

/// A choice that the first byte makes; the rest.
fn choice(bytes: &[u8]) -> (usize, &[u8]) {
    bytes.split_first().map_or((0, bytes), |(first, rest)| (usize::from(*first), rest))
}

/// A call reaches the codex whole.
fn travels(call: Call) {
    let access = Access::Grant { id: GrantId::from_random([7; 16]), generation: None };
    let message = Message::Call { access, needed: Scopes::ALL, call, reply: super::reply(), trace: None };
    assert_eq!(Message::from_wire(&message.to_wire().unwrap()), Some(message));
}

/// A body, received with headers of some era, is answered by JSON-RPC or comes to calls that travel whole.
pub fn envelope(bytes: &[u8]) {
    const VERSIONS: [Option<&str>; 6] =
        [None, Some("2025-03-26"), Some("2025-06-18"), Some("2025-11-25"), Some("2026-07-28"), Some("1999-01-01")];
    let (chosen, rest) = choice(bytes);
    let version = VERSIONS[chosen % 6];
    let modern = version == Some("2026-07-28");
    // The header's value may come before the body, on a line of its own.
    let line = rest.iter().position(|byte| *byte == b'\n').filter(|_| chosen & 0x40 != 0);
    let (name, body) = match line {
        Some(end) => (String::from_utf8_lossy(&rest[..end]).into_owned(), &rest[end + 1..]),
        None => ("field_notes_save".to_owned(), rest),
    };
    let headers = Headers {
        protocol_version: version.map(str::to_owned),
        method: modern.then(|| "tools/call".to_owned()),
        name: modern.then_some(name),
    };
    let granted = if chosen & 0x80 == 0 { Scopes::ALL } else { Scopes::NONE.with(Scope::Read) };
    let exchange = receive(body, &headers, granted);
    let batch = exchange.is_batch();
    if exchange.forbidden().is_some() {
        return;
    }
    let answered = exchange.steps.into_iter().map(|step| match step {
        Step::Answered(answered) => answered,
        Step::Forbidden(_) => unreachable!("forbidden() tells it"),
        Step::Call(pending) => {
            travels(pending.call);
            assert!(granted.include(pending.needed));
            pending.reply.result("{}")
        }
    });
    let reply = Exchange::reply(batch, answered.collect());
    assert!(matches!(reply.status, 200 | 202 | 400 | 404), "status {}", reply.status);
    let Some(body) = reply.body else { return assert_eq!(reply.status, 202) };
    let value: Value = serde_json::from_str(&body).unwrap();
    for answer in value.as_array().map_or(std::slice::from_ref(&value), Vec::as_slice) {
        assert_eq!(answer["jsonrpc"], "2.0");
        assert!(answer["result"].is_object() != answer["error"]["message"].is_string());
    }
}

/// Arguments are refused with words, or become a call that travels whole and that the same arguments become, however they
/// are written.
pub fn arguments(bytes: &[u8]) {
    let (chosen, text) = choice(bytes);
    let tool = Tool::ALL[chosen % 4];
    let Ok(document) = json::parse(text) else { return };
    match Call::parse(tool, document.root(), document.flaws()) {
        Err(violations) => assert!(!violations.to_string().is_empty()),
        Ok(call) => {
            travels(call.clone());
            let mut compact = String::new();
            document.root().write_compact(&mut compact);
            let again = json::parse(compact.as_bytes()).unwrap();
            assert_eq!(Call::parse(tool, again.root(), again.flaws()), Ok(call));
        }
    }
}

/// The bytes that `changes` make of `genuine`: exclusive or where they overlap, then cut or made longer.
fn changed(genuine: &[u8], changes: &[u8]) -> Vec<u8> {
    let (length, changes) = choice(changes);
    let mut bytes = genuine.to_vec();
    for (byte, change) in bytes.iter_mut().zip(changes) {
        *byte ^= change;
    }
    match length {
        0 => {}
        1..=127 => bytes.truncate(length),
        _ => bytes.extend(changes.iter().skip(genuine.len())),
    }
    bytes
}

thread_local! {
    /// A codex with a few entries, and a cursor of its own.
    static CODEX: RefCell<(TestCodex, String)> = RefCell::new({
        let mut codex = TestCodex::new();
        for number in 0..3 {
            codex.save(&number.to_string(), &json!({"content": "kept"})).unwrap();
        }
        let page = codex.search(&json!({"query": "kept", "limit": 1})).unwrap();
        (codex, page["nextCursor"].as_str().unwrap().to_owned())
    });
}

/// A cursor that the codex did not sign for this very search is refused as that, whether it is text or changed bytes.
pub fn cursor(bytes: &[u8]) {
    CODEX.with_borrow_mut(|(codex, genuine)| {
        let signed = URL_SAFE_NO_PAD.decode(genuine.as_str()).unwrap();
        let forged = URL_SAFE_NO_PAD.encode(changed(&signed, bytes));
        for cursor in [forged, String::from_utf8_lossy(bytes).into_owned()] {
            for query in ["KEPT", "ept"] {
                let is_genuine = cursor == *genuine && query == "KEPT";
                let search =
                    Search { query: query.to_owned(), limit: 1, cursor: Some(cursor.clone()), ..Search::default() };
                match codex.execute(&Call::Search(search)) {
                    Ok(_) => assert!(is_genuine, "{cursor}"),
                    Err(failed) => {
                        assert_eq!((is_genuine, failed.code.as_str()), (false, "invalid_cursor"), "{cursor}");
                    }
                }
            }
        }
    });
}

/// How what was sealed is opened; whether it is.
type Opens = fn(&SealKeys, &str) -> bool;

/// One of everything that this server seals, each with how it is opened.
fn sealed(keys: &SealKeys) -> [(String, Opens); 5] {
    let codex = CodexName::parse("local").unwrap();
    let grant = GrantId::from_random([7; 16]);
    let now = Timestamp::from_milliseconds(super::START);
    let client = Client::from_registration(br#"{"redirect_uris":["https://host.example/"]}"#).unwrap();
    let asked = "response_type=code&client_id=a&redirect_uri=https%3A%2F%2Fhost.example%2F&code_challenge_method=S256&code_challenge=\
        AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA&resource=https%3A%2F%2Fcodex.example%2Fmcp";
    let request = check(&Parameters::parse(asked.as_bytes()).unwrap(), &client, "https://codex.example").unwrap();
    let pending = Pending { request, browser: None, person: None };
    let token = Credential { codex: codex.clone(), grant, scopes: Scopes::ALL, issue: None };
    let refresh = RefreshToken { grant, generation: 3, codex: codex.clone() };
    [
        (token.seal(keys), |keys, text| Credential::open(keys, text).is_some()),
        (Code { id: [5; 16], codex }.seal(keys), |keys, text| Code::open(keys, text).is_some()),
        (refresh.seal(keys), |keys, text| RefreshToken::open(keys, text).is_some()),
        (client.seal(keys), |keys, text| Client::open(keys, text).is_some()),
        (pending.seal(keys, now), |keys, text| {
            Pending::open(keys, text, Timestamp::from_milliseconds(super::START)).is_some()
        }),
    ]
}

thread_local! {
    static KEYS: SealKeys = SealKeys::parse("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").unwrap();
    static SEALED: [(String, Opens); 5] = KEYS.with(sealed);
}

/// What was sealed opens only as the very text that it is, and as what it is.
pub fn credential(bytes: &[u8]) {
    KEYS.with(|keys| {
        SEALED.with(|all| {
            for (genuine, opens) in all {
                let prefix = if genuine.starts_with("ac") { &genuine[..4] } else { "" };
                let payload = URL_SAFE_NO_PAD.decode(&genuine[prefix.len()..]).unwrap();
                let forged = format!("{prefix}{}", URL_SAFE_NO_PAD.encode(changed(&payload, bytes)));
                for text in [forged, String::from_utf8_lossy(bytes).into_owned()] {
                    assert_eq!(opens(keys, &text), text == *genuine, "{text}");
                }
                let opened = all.iter().filter(|(_, opens)| opens(keys, genuine)).count();
                assert_eq!(opened, 1, "{genuine}");
            }
        });
    });
}

/// Bytes that are no message of the edge's and no outcome of a codex's are told from them; the others are what they say.
pub fn wire(bytes: &[u8]) {
    if let Some(message) = Message::from_wire(bytes) {
        assert_eq!(Message::from_wire(&message.to_wire().unwrap()), Some(message));
    }
    if let Some(outcome) = Outcome::from_wire(bytes.to_vec()) {
        assert_eq!(Outcome::from_wire(outcome.clone().into_wire()), Some(outcome));
    }
}

/// Names a client as it names itself, with nothing that a page could take for markup.
fn plain(request: &AuthorizationRequest) -> AuthorizationRequest {
    AuthorizationRequest { client_name: request.client_name.as_ref().map(|_| "Host".to_owned()), ..request.clone() }
}

/// A query or form is refused with words, or asks for what a client may ask for: an answer goes to the client's own
/// redirect URI, the request waits for the owner whole, and the page on which the owner decides is marked up as ever.
pub fn form(bytes: &[u8]) {
    const ISSUER: &str = "https://codex.example";
    const REDIRECT: &str = "https://host.example/callback";
    let keys = SealKeys::parse("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").unwrap();
    let Ok(parameters) = Parameters::parse(bytes) else { return };
    let name = parameters.get("client_name").unwrap_or("Host");
    let metadata = json!({"redirect_uris": [REDIRECT], "client_name": name});
    let Ok(client) = Client::from_registration(metadata.to_string().as_bytes()) else { return };
    match check(&parameters, &client, ISSUER) {
        Err(Rejection::Here(reason)) => assert!(!reason.is_empty()),
        Err(Rejection::AtClient { location, .. }) => assert!(location.starts_with(&format!("{REDIRECT}?"))),
        Ok(request) => {
            assert_eq!(request.redirect_uri, REDIRECT);
            for location in [request.granted("code", ISSUER), request.denied(ISSUER)] {
                let answered = Parameters::parse(location.split_once('?').unwrap().1.as_bytes()).unwrap();
                assert_eq!(answered.get("state"), request.state.as_deref());
                assert_eq!(answered.get("iss"), Some(ISSUER));
            }
            let now = Timestamp::from_milliseconds(super::START);
            let pending = Pending { request, browser: None, person: None };
            assert_eq!(Pending::open(&keys, &pending.seal(&keys, now), now).as_ref(), Some(&pending));
            let tags = |request| {
                let asked = Consent { sealed: "", codex: "notes", person: None, problem: None };
                consent(request, asked).html.matches(['<', '>', '"', '\'']).count()
            };
            assert_eq!(tags(&pending.request), tags(&plain(&pending.request)));
        }
    }
}

/// A token, a key set, a client's or an issuer's metadata is not read, or is read for what it is: no token is believed
/// that is not for this resource.
pub fn token(bytes: &[u8]) {
    let (chosen, rest) = choice(bytes);
    let text = String::from_utf8_lossy(rest);
    match chosen % 4 {
        0 => {
            let (header, claims) = text.split_once('\n').unwrap_or((&text, ""));
            let _ = Unverified::parse(&text);
            let token = token_of(header, claims);
            let Ok(unverified) = Unverified::parse(&token) else { return };
            assert!(token.starts_with(unverified.signing_input));
            let types = ["at+jwt".to_owned()];
            let expected = Expected { issuer: tokens::ISSUER, audience: RESOURCE, types: &types };
            if expected.check(&unverified, Timestamp::from_milliseconds(super::START)).is_ok() {
                let claims: Value = match serde_json::from_str(claims) {
                    // In a claim that nobody asks for; serde_json reads no number that a double does not hold.
                    Err(error) if error.to_string().contains("out of range") => return,
                    claims => claims.unwrap(),
                };
                let audience = claims["aud"].as_array().map_or(std::slice::from_ref(&claims["aud"]), Vec::as_slice);
                assert!(claims["iss"] == tokens::ISSUER && audience.contains(&json!(RESOURCE)), "{claims}");
            }
        }
        1 => {
            if let Some(keys) = Jwks::parse(rest) {
                for algorithm in ["ES256", "RS256", "EdDSA"].map(|name| Algorithm::parse(name).unwrap()) {
                    let Some(key) = keys.select(algorithm, None) else { continue };
                    assert!(Jwks::parse(format!("{{\"keys\":[{}]}}", key.to_json()).as_bytes()).is_some());
                }
            }
        }
        2 => {
            let id = "https://host.example/client";
            if let Ok(client) = Client::from_document(id, rest) {
                assert!(!client.may_use("javascript:x") && !client.may_use(""));
            }
        }
        _ => {
            let issuers = json!([{"issuer": tokens::ISSUER, "audience": "x"}]).to_string();
            let issuer = &Issuer::parse_all(&issuers).unwrap()[0];
            if let Some(url) = issuer.url_in(rest, "jwks_uri") {
                assert!(url.starts_with("https://"), "{url}");
            }
        }
    }
}

/// Folding is done once for all and leaves what separates texts alone; a part of a text is found in it, in an excerpt.
pub fn folding(bytes: &[u8]) {
    let (chosen, rest) = choice(bytes);
    let text = String::from_utf8_lossy(rest);
    let folded = fold(&text);
    assert_eq!(fold(&folded), folded);
    assert!(!folded.contains('A'));
    assert!(text.starts_with(head(&text)) && head(&text).chars().count() <= EXCERPT_CHARACTERS);
    let part: String = text.chars().skip(chosen / 16).take(1 + chosen % 16).collect();
    let query = fold(&part);
    if !query.is_empty() && folded.contains(&query) {
        let found = excerpt(&text, &query).expect("what the folded text holds is found");
        assert!(text.contains(found) && found.chars().count() <= EXCERPT_CHARACTERS);
    }
}

/// What is read as JSON is JSON to others too, says the same when it is written again, and nothing else is refused.
pub fn json_text(bytes: &[u8]) {
    let theirs = serde_json::from_slice::<Value>(bytes);
    let Ok(document) = json::parse(bytes) else {
        return assert!(theirs.is_err(), "refused");
    };
    let mut compact = String::new();
    document.root().write_compact(&mut compact);
    let again = json::parse(compact.as_bytes()).unwrap();
    let mut twice = String::new();
    again.root().write_compact(&mut twice);
    assert_eq!(compact, twice);
    assert_eq!(document.root().count(), again.root().count());
    let odd = document.flaws().iter().any(|flaw| !matches!(flaw.kind, FlawKind::DuplicateName));
    if odd || document.root().depth() > 100 {
        return;
    }
    assert_eq!(serde_json::from_str::<Value>(&compact).unwrap(), theirs.unwrap());
    let canonical = document.root().canonical();
    if document.flaws().is_empty() {
        let canonical = json::parse(canonical.as_bytes()).unwrap();
        assert_eq!(canonical.root().canonical(), document.root().canonical());
    }
}
