//! What arbitrary bytes must not break: one function for each way in, run by the fuzzer (`fuzz/`) and, over its corpus and
//! changes of it, by `tests/fuzz_corpus.rs`. Each panics where a promise is broken.

use std::cell::RefCell;

use agent_codex::auth::{CodexName, Credential, GrantId, Scope, Scopes, SealKeys};
use agent_codex::json::{self, FlawKind};
use agent_codex::mcp::era::Headers;
use agent_codex::mcp::{Exchange, Step, receive};
use agent_codex::notebook::arguments::{Call, Search, Tool};
use agent_codex::notebook::text::{EXCERPT_CHARACTERS, excerpt, fold, head};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use super::TestCodex;

/// A target by its name: what the fuzzer calls with bytes.
pub type Target = fn(&[u8]);

/// Every target.
pub const TARGETS: [(&str, Target); 6] = [
    ("envelope", envelope),
    ("arguments", arguments),
    ("cursor", cursor),
    ("credential", credential),
    ("folding", folding),
    ("json", json_text),
];

/// A choice that the first byte makes; the rest.
fn choice(bytes: &[u8]) -> (usize, &[u8]) {
    bytes.split_first().map_or((0, bytes), |(first, rest)| (usize::from(*first), rest))
}

/// A body, received with headers of some era, is answered by JSON-RPC or comes to calls that travel whole.
pub fn envelope(bytes: &[u8]) {
    const VERSIONS: [Option<&str>; 6] =
        [None, Some("2025-03-26"), Some("2025-06-18"), Some("2025-11-25"), Some("2026-07-28"), Some("1999-01-01")];
    let (chosen, body) = choice(bytes);
    let version = VERSIONS[chosen % 6];
    let modern = version == Some("2026-07-28");
    let headers = Headers {
        protocol_version: version.map(str::to_owned),
        method: modern.then(|| "tools/call".to_owned()),
        name: modern.then(|| "field_notes_save".to_owned()),
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
            let text = serde_json::to_string(&pending.call).unwrap();
            assert_eq!(serde_json::from_str::<Call>(&text).unwrap(), pending.call);
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
            let message = serde_json::to_string(&call).unwrap();
            assert_eq!(serde_json::from_str::<Call>(&message).unwrap(), call);
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

/// A token opens only if it is the very text that was sealed.
pub fn credential(bytes: &[u8]) {
    let keys = SealKeys::parse("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").unwrap();
    let codex = CodexName::parse("local").unwrap();
    let genuine =
        Credential { codex, grant: GrantId::from_random([7; 16]), scopes: Scopes::ALL, issue: None }.seal(&keys);
    let sealed = URL_SAFE_NO_PAD.decode(&genuine[4..]).unwrap();
    let forged = format!("acx_{}", URL_SAFE_NO_PAD.encode(changed(&sealed, bytes)));
    for token in [forged, String::from_utf8_lossy(bytes).into_owned()] {
        assert_eq!(Credential::open(&keys, &token).is_some(), token == genuine, "{token}");
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
