//! Which revision a request is served at, for every pair of what clients offer and what there is, and what a revision lets
//! clients add to a request.

use agent_codex::auth::Scopes;
use agent_codex::mcp::era::Headers;
use agent_codex::mcp::{Exchange, Reply, Step, receive};
use serde_json::{Value, json};

const MODERN: &str = "2026-07-28";
const HANDSHAKE: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];
/// Versions that there were, will be, or never were.
const OTHERS: [&str; 6] = ["2024-11-05", "2024-10-07", "2027-01-01", "2026-07-28 ", "DRAFT-2026-v1", ""];

fn ask(headers: &Headers, message: &Value) -> (u16, Value) {
    let exchange = receive(message.to_string().as_bytes(), headers, Scopes::ALL);
    let batch = exchange.is_batch();
    let answered = exchange.steps.into_iter().map(|step| match step {
        Step::Answered(answered) => answered,
        Step::Call(pending) => pending.reply.result("{}"),
        Step::Forbidden(_) => panic!("every scope is granted"),
    });
    let Reply { status, body } = Exchange::reply(batch, answered.collect());
    (status, body.map_or(Value::Null, |body| serde_json::from_str(&body).unwrap()))
}

fn headers(version: Option<&str>, method: &str) -> Headers {
    let name = (method == "tools/call").then(|| "field_notes_search".to_owned());
    Headers { protocol_version: version.map(str::to_owned), method: Some(method.to_owned()), name }
}

fn request(method: &str, meta: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"name": "field_notes_search", "_meta": meta}})
}

fn meta(version: &str) -> Value {
    json!({"io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {}})
}

fn code((status, answer): &(u16, Value)) -> (u16, Option<i64>) {
    (*status, answer["error"]["code"].as_i64())
}

#[test]
fn initialize_answers_the_offered_revision_if_it_is_of_the_handshake_era_and_the_newest_of_it_otherwise() {
    for offered in HANDSHAKE.into_iter().chain(OTHERS).chain([MODERN]) {
        let params =
            json!({"protocolVersion": offered, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params});
        let expected = if HANDSHAKE.contains(&offered) { offered } else { HANDSHAKE[0] };
        for header in [None, Some(HANDSHAKE[0]), Some(HANDSHAKE[2])] {
            let (status, answer) = ask(&headers(header, "initialize"), &message);
            assert_eq!((status, &answer["result"]["protocolVersion"]), (200, &json!(expected)), "{offered} {header:?}");
        }
    }
}

#[test]
fn a_handshake_revision_in_the_header_is_served_and_any_other_version_is_refused() {
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    for version in HANDSHAKE {
        let (status, answer) = ask(&headers(Some(version), "tools/list"), &message);
        assert_eq!((status, answer["result"]["resultType"].is_null()), (200, true), "{version}");
    }
    assert_eq!(code(&ask(&headers(None, "tools/list"), &message)), (200, None));
    for version in OTHERS {
        assert_eq!(code(&ask(&headers(Some(version), "tools/list"), &message)), (400, Some(-32600)), "{version}");
    }
}

#[test]
fn a_version_in_meta_must_be_that_of_the_header_and_one_that_is_served() {
    let versions = || HANDSHAKE.into_iter().chain(OTHERS).chain([MODERN]);
    for in_meta in versions() {
        for in_header in versions().map(Some).chain([None]) {
            let answer = ask(&headers(in_header, "tools/list"), &request("tools/list", &meta(in_meta)));
            let expected = match in_header {
                Some(version) if version == in_meta && version == MODERN => (200, None),
                Some(version) if version == in_meta => (400, Some(-32022)),
                _ => (400, Some(-32020)),
            };
            assert_eq!(code(&answer), expected, "_meta {in_meta:?}, header {in_header:?}");
            if expected.1 == Some(-32022) {
                let data = &answer.1["error"]["data"];
                assert_eq!(data, &json!({"supported": [MODERN], "requested": in_meta}));
            }
        }
    }
}

#[test]
fn methods_of_one_era_are_unknown_in_the_other() {
    for method in ["initialize", "ping", "logging/setLevel", "resources/subscribe", "subscriptions/listen"] {
        assert_eq!(
            code(&ask(&headers(Some(MODERN), method), &request(method, &meta(MODERN)))),
            (404, Some(-32601)),
            "{method}"
        );
    }
    for method in ["server/discover", "logging/setLevel", "resources/list", "prompts/list", "completion/complete"] {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method});
        assert_eq!(code(&ask(&headers(Some("2025-11-25"), method), &message)), (200, Some(-32601)), "{method}");
    }
}

#[test]
fn what_a_client_adds_to_meta_or_to_parameters_changes_nothing() {
    let additions = json!({
        "progressToken": "p", "io.modelcontextprotocol/logLevel": "debug", "io.modelcontextprotocol/clientInfo": {"x": 1},
        "io.modelcontextprotocol/unknown": [], "com.example/key": {"a": null}, "": "", "__proto__": {"b": 1},
        "traceparent": 7, "tracestate": {}, "baggage": "\u{0}",
    });
    for method in ["tools/list", "tools/call"] {
        let plain = ask(&headers(Some(MODERN), method), &request(method, &meta(MODERN)));
        assert_eq!(plain.0, 200);
        let mut more = meta(MODERN);
        more.as_object_mut().unwrap().extend(additions.as_object().unwrap().clone());
        let mut message = request(method, &more);
        message["params"]["requestState"] = json!("forged");
        message["params"]["inputResponses"] = json!({"a": {"action": "accept"}});
        message["params"]["task"] = json!({"ttl": 1});
        message["extra"] = json!(true);
        assert_eq!(ask(&headers(Some(MODERN), method), &message), plain, "{method}");

        let plain = ask(&headers(None, method), &request(method, &json!({})));
        message["params"]["_meta"] = additions.clone();
        assert_eq!(ask(&headers(None, method), &message), plain, "{method}");
    }
}

#[test]
fn capabilities_that_clients_declare_change_nothing() {
    let plain = ask(&headers(Some(MODERN), "server/discover"), &request("server/discover", &meta(MODERN)));
    let mut more = meta(MODERN);
    more["io.modelcontextprotocol/clientCapabilities"] =
        json!({"sampling": {}, "elicitation": {}, "roots": {}, "extensions": {"com.example/x": {}}});
    assert_eq!(ask(&headers(Some(MODERN), "server/discover"), &request("server/discover", &more)), plain);
}

#[test]
fn notifications_of_either_era_are_accepted_whatever_they_say() {
    for method in ["notifications/initialized", "notifications/cancelled", "notifications/unknown"] {
        for (version, meta) in [(Some(MODERN), meta(MODERN)), (Some("2025-11-25"), json!({})), (None, json!({}))] {
            let message = json!({"jsonrpc": "2.0", "method": method, "params": {"requestId": 1, "_meta": meta}});
            assert_eq!(ask(&headers(version, method), &message), (202, Value::Null), "{method} {version:?}");
        }
    }
    let unserved = ask(&headers(Some("2024-11-05"), ""), &json!({"jsonrpc": "2.0", "method": "notifications/x"}));
    assert_eq!(code(&unserved), (400, Some(-32600)));
}
