//! The protocol: what a body and its headers come to, in both eras.

use agent_codex::auth::{Scope, Scopes};
use agent_codex::mcp::era::Headers;
use agent_codex::mcp::{Exchange, Reply, Step, receive};
use agent_codex::notebook::arguments::Call;
use serde_json::{Value, json};

const MODERN: &str = "2026-07-28";

fn modern(method: &str, params: &Value) -> (Headers, Value) {
    let mut params = params.clone();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN, "io.modelcontextprotocol/clientCapabilities": {}
    });
    let headers = Headers {
        protocol_version: Some(MODERN.to_owned()),
        method: Some(method.to_owned()),
        name: params["name"].as_str().map(str::to_owned),
    };
    (headers, json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
}

fn version(version: &str) -> Headers {
    Headers { protocol_version: Some(version.to_owned()), ..Headers::default() }
}

fn receive_text(body: &str, headers: &Headers) -> Exchange {
    receive(body.as_bytes(), headers, Scopes::ALL)
}

/// The status and the answer of a body that needs no codex.
fn ask(body: &str, headers: &Headers) -> (u16, Value) {
    let exchange = receive_text(body, headers);
    let batch = exchange.is_batch();
    let answered = exchange.steps.into_iter().map(|step| match step {
        Step::Answered(answered) => answered,
        other => panic!("{other:?}"),
    });
    let Reply { status, body } = Exchange::reply(batch, answered.collect());
    (status, body.map_or(Value::Null, |body| serde_json::from_str(&body).unwrap()))
}

fn request(method: &str, params: &Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

fn error_of((status, answer): (u16, Value)) -> (u16, i64) {
    (status, answer["error"]["code"].as_i64().unwrap())
}

#[test]
fn initialize_negotiates_a_handshake_revision_and_never_the_modern_one() {
    for (offered, negotiated) in [
        ("2025-11-25", "2025-11-25"),
        ("2025-06-18", "2025-06-18"),
        ("2025-03-26", "2025-03-26"),
        ("2024-11-05", "2025-11-25"),
        ("2026-07-28", "2025-11-25"),
        ("", "2025-11-25"),
    ] {
        let params =
            json!({"protocolVersion": offered, "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}});
        let (status, answer) = ask(&request("initialize", &params), &Headers::default());
        assert_eq!(status, 200);
        assert_eq!(answer["result"]["protocolVersion"], negotiated);
        assert_eq!(answer["result"]["capabilities"], json!({"tools": {}}));
        assert_eq!(
            answer["result"]["serverInfo"],
            json!({"name": "agent-codex", "title": "Agent Codex", "version": "0.1.0"})
        );
    }
    assert_eq!(error_of(ask(&request("initialize", &json!({})), &Headers::default())), (200, -32602));
}

#[test]
fn the_handshake_era_pings_lists_and_knows_no_other_method() {
    let headers = version("2025-06-18");
    assert_eq!(ask(&request("ping", &json!({})), &headers), (200, json!({"jsonrpc": "2.0", "id": 1, "result": {}})));
    let (_, listing) = ask(&request("tools/list", &json!({})), &headers);
    assert_eq!(listing["result"].as_object().unwrap().len(), 1);
    assert_eq!(error_of(ask(&request("tools/list", &json!({"cursor": "x"})), &headers)), (200, -32602));
    for method in ["server/discover", "prompts/list", "resources/list", "logging/setLevel", "x", ""] {
        assert_eq!(error_of(ask(&request(method, &json!({})), &headers)), (200, -32601), "{method}");
    }
}

#[test]
fn an_unknown_version_header_is_refused() {
    for unknown in ["1999-01-01", "v999.0.0", "", "2026-07-29"] {
        assert_eq!(ask(&request("ping", &json!({})), &version(unknown)).0, 400, "{unknown}");
        let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string();
        assert_eq!(ask(&notification, &version(unknown)).0, 400, "{unknown}");
    }
}

#[test]
fn notifications_and_responses_are_accepted_without_an_answer() {
    for message in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}),
        json!({"jsonrpc": "2.0", "method": "anything"}),
        json!({"jsonrpc": "2.0", "id": 7, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "x"}}),
    ] {
        assert_eq!(ask(&message.to_string(), &version("2025-11-25")), (202, Value::Null), "{message}");
    }
    let (headers, mut notification) = modern("notifications/cancelled", &json!({}));
    notification.as_object_mut().unwrap().remove("id");
    assert_eq!(ask(&notification.to_string(), &headers), (202, Value::Null));
}

#[test]
fn discovery_tells_versions_capabilities_and_how_long_it_holds() {
    let (headers, body) = modern("server/discover", &json!({}));
    let (status, answer) = ask(&body.to_string(), &headers);
    let result = &answer["result"];
    assert_eq!(status, 200);
    assert_eq!(result["supportedVersions"], json!([MODERN]));
    assert_eq!(result["capabilities"], json!({"tools": {}}));
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "agent-codex");
    assert!(result["ttlMs"].as_u64().is_some());
    assert_eq!(result["cacheScope"], "public");
}

#[test]
fn modern_methods_that_there_are_not_are_not_found() {
    for method in
        ["initialize", "ping", "logging/setLevel", "resources/subscribe", "prompts/list", "subscriptions/listen", "x"]
    {
        let (headers, body) = modern(method, &json!({}));
        assert_eq!(error_of(ask(&body.to_string(), &headers)), (404, -32601), "{method}");
    }
}

#[test]
fn a_modern_request_needs_its_version_and_capabilities_in_meta() {
    for missing in ["io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientCapabilities"] {
        let (headers, mut body) = modern("tools/list", &json!({}));
        body["params"]["_meta"].as_object_mut().unwrap().remove(missing);
        assert_eq!(error_of(ask(&body.to_string(), &headers)), (400, -32602), "{missing}");
    }
    let (headers, mut body) = modern("tools/list", &json!({}));
    body.as_object_mut().unwrap().remove("params");
    assert_eq!(error_of(ask(&body.to_string(), &headers)), (400, -32602));
}

#[test]
fn headers_and_body_must_agree() {
    type Change = fn(&mut Headers);
    let changes: &[(&str, Change)] = &[
        ("no version", |headers| headers.protocol_version = None),
        ("another version", |headers| headers.protocol_version = Some("2025-11-25".to_owned())),
        ("no method", |headers| headers.method = None),
        ("another method", |headers| headers.method = Some("tools/list".to_owned())),
        ("another case", |headers| headers.method = Some("Tools/Call".to_owned())),
        ("no name", |headers| headers.name = None),
        ("another name", |headers| headers.name = Some("field_notes_get".to_owned())),
        ("a name in bad base64", |headers| headers.name = Some("=?base64?!?=".to_owned())),
    ];
    for (name, change) in changes {
        let (mut headers, body) = modern("tools/call", &json!({"name": "field_notes_search", "arguments": {}}));
        change(&mut headers);
        assert_eq!(error_of(ask(&body.to_string(), &headers)), (400, -32020), "{name}");
    }
}

#[test]
fn a_name_in_base64_is_decoded_before_it_is_compared() {
    let (mut headers, body) = modern("tools/call", &json!({"name": "field_notes_search"}));
    headers.name = Some("=?base64?ZmllbGRfbm90ZXNfc2VhcmNo?=".to_owned());
    let exchange = receive_text(&body.to_string(), &headers);
    assert!(matches!(exchange.steps[..], [Step::Call(_)]));
}

#[test]
fn an_unsupported_version_is_told_what_is_supported() {
    let (mut headers, mut body) = modern("tools/list", &json!({}));
    headers.protocol_version = Some("v999.0.0".to_owned());
    body["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("v999.0.0");
    let (status, answer) = ask(&body.to_string(), &headers);
    assert_eq!(status, 400);
    assert_eq!(answer["error"]["code"], -32022);
    assert_eq!(answer["error"]["data"], json!({"supported": [MODERN], "requested": "v999.0.0"}));
}

#[test]
fn what_is_not_a_well_formed_call_is_invalid_params() {
    for params in [
        json!({"name": "no_such_tool", "arguments": {}}),
        json!({"arguments": {}}),
        json!({"name": 1}),
        json!({"name": "field_notes_get", "arguments": [1]}),
        json!({"name": "field_notes_get", "arguments": null}),
    ] {
        assert_eq!(error_of(ask(&request("tools/call", &params), &Headers::default())), (200, -32602), "{params}");
        let (headers, body) = modern("tools/call", &params);
        let (_, code) = error_of(ask(&body.to_string(), &headers));
        assert!(code == -32602 || params["name"] == 1, "{params}: {code}");
    }
}

#[test]
fn ids_are_strings_or_safe_integers_and_come_back_as_they_are() {
    for id in ["\"x\"", "\"\"", "0", "-1", "9007199254740991", "-9007199254740991", "\"\\u00e9\\n\""] {
        let (status, answer) = ask(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#), &Headers::default());
        assert_eq!((status, &answer["id"]), (200, &serde_json::from_str(id).unwrap()));
    }
    for id in ["null", "1.5", "9007199254740993", "1e400", "true", "[]", "{}"] {
        let (status, answer) = ask(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"ping"}}"#), &Headers::default());
        assert_eq!(status, 400, "{id}");
        assert_eq!(answer["id"], Value::Null);
        assert!([-32600, -32700].contains(&answer["error"]["code"].as_i64().unwrap()), "{id}");
    }
}

#[test]
fn what_is_not_a_message_is_an_invalid_request() {
    for body in [
        "1",
        "null",
        "\"x\"",
        "{}",
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
        r#"{"id":1,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":1}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":null}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
    ] {
        assert_eq!(error_of(ask(body, &Headers::default())), (400, -32600), "{body}");
    }
}

#[test]
fn what_is_not_json_is_a_parse_error_with_a_null_id() {
    for body in [
        "",
        "{",
        "[1,]",
        "\u{feff}{}",
        "{}x",
        r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#,
        r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
    ] {
        let (status, answer) = ask(body, &Headers::default());
        assert_eq!((status, &answer["error"]["code"], &answer["id"]), (400, &json!(-32700), &Value::Null), "{body}");
    }
    assert_eq!(
        error_of({
            let exchange = receive(b"\xff{}", &Headers::default(), Scopes::ALL);
            let Some(Step::Answered(answered)) = exchange.steps.into_iter().next() else { panic!("an answer") };
            let reply = Exchange::reply(false, vec![answered]);
            (reply.status, serde_json::from_str(&reply.body.unwrap()).unwrap())
        }),
        (400, -32700)
    );
}

#[test]
fn batches_are_served_at_2025_03_26_alone_each_message_by_itself() {
    let batch = json!([
        {"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "method": "notifications/initialized"},
        1, {"jsonrpc": "2.0", "id": "x", "method": "nope"},
    ])
    .to_string();
    for headers in [Headers::default(), version("2025-03-26")] {
        let (status, answers) = ask(&batch, &headers);
        assert_eq!(status, 200);
        let ids: Vec<_> = answers.as_array().unwrap().iter().map(|answer| answer["id"].clone()).collect();
        assert_eq!(ids, [json!(1), Value::Null, json!("x")]);
    }
    for refused in ["2025-06-18", "2025-11-25", MODERN] {
        assert_eq!(error_of(ask(&batch, &version(refused))), (400, -32600), "{refused}");
    }
    assert_eq!(error_of(ask("[]", &Headers::default())), (400, -32600));
    let notifications = json!([{"jsonrpc": "2.0", "method": "notifications/initialized"}]).to_string();
    assert_eq!(ask(&notifications, &Headers::default()), (202, Value::Null));
    let large = Value::Array(vec![json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}); 51]).to_string();
    assert_eq!(error_of(ask(&large, &Headers::default())), (400, -32600));
}

#[test]
fn a_call_without_arguments_has_none() {
    let exchange = receive_text(&request("tools/call", &json!({"name": "field_notes_search"})), &Headers::default());
    let [Step::Call(pending)] = &exchange.steps[..] else { panic!("a call") };
    assert!(matches!(pending.call, Call::Search(_)));
    assert_eq!(pending.needed, Scopes::NONE.with(Scope::Read));
}

#[test]
fn scope_is_checked_before_arguments_and_all_that_is_needed_is_named() {
    let body = request("tools/call", &json!({"name": "field_notes_save", "arguments": {}}));
    let exchange = receive(body.as_bytes(), &Headers::default(), Scopes::NONE.with(Scope::Read));
    assert_eq!(exchange.forbidden(), Some(Scopes::ALL));
    let exchange = receive(body.as_bytes(), &Headers::default(), Scopes::ALL);
    assert_eq!(exchange.forbidden(), None);
    let [Step::Answered(_)] = exchange.steps[..] else { panic!("the arguments are refused") };
}

#[test]
fn a_result_holds_the_json_twice_and_a_failure_once() {
    let pending = |headers: &Headers, body: &str| match receive_text(body, headers).steps.pop() {
        Some(Step::Call(pending)) => pending,
        other => panic!("{other:?}"),
    };
    let answer = |answered| {
        let reply = Exchange::reply(false, vec![answered]);
        assert_eq!(reply.status, 200);
        serde_json::from_str::<Value>(&reply.body.unwrap()).unwrap()["result"].take()
    };
    let params = json!({"name": "field_notes_search", "arguments": {}});
    let handshake = pending(&Headers::default(), &request("tools/call", &params));
    let json = r#"{"a":"\"\u0000"}"#;
    let parsed: Value = serde_json::from_str(json).unwrap();
    let content = json!([{"type": "text", "text": json}]);
    assert_eq!(answer(handshake.reply.result(json)), json!({"content": content, "structuredContent": parsed}));
    assert_eq!(answer(handshake.reply.failure(json)), json!({"content": content, "isError": true}));
    let (headers, body) = modern("tools/call", &params);
    let mut result = answer(pending(&headers, &body.to_string()).reply.failure(json));
    assert_eq!(result["_meta"].take()["io.modelcontextprotocol/serverInfo"]["version"], "0.1.0");
    assert_eq!(result, json!({"content": content, "isError": true, "resultType": "complete", "_meta": null}));
}

#[test]
fn flaws_inside_arguments_are_invalid_input_and_elsewhere_parse_errors() {
    let call = |arguments: &str| {
        let body = format!(
            r#"{{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{{"name":"field_notes_search","arguments":{arguments}}}}}"#
        );
        ask(&body, &Headers::default()).1["result"]["content"][0]["text"].as_str().unwrap().to_owned()
    };
    for (arguments, pointer) in [
        (r#"{"query":"a","query":"b"}"#, "/query"),
        (r#"{"query":"\ud800"}"#, "/query"),
        (r#"{"limit":9007199254740993}"#, "/limit"),
    ] {
        let text = call(arguments);
        assert!(text.contains("invalid_input") && text.contains(pointer), "{text}");
    }
}

#[test]
fn the_listing_has_the_four_tools_in_order_with_every_hint() {
    let (_, answer) = ask(&request("tools/list", &json!({})), &Headers::default());
    let tools = answer["result"]["tools"].as_array().unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["field_notes_save", "field_notes_get", "field_notes_search", "field_notes_update"]);
    for tool in tools {
        assert!(!tool["title"].as_str().unwrap().is_empty());
        assert_eq!(tool["annotations"].as_object().unwrap().len(), 4, "{tool}");
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object");
            assert_eq!(tool[schema]["additionalProperties"], false);
        }
        assert!(!tool["inputSchema"].to_string().contains("$ref"));
    }
}

#[test]
fn mcp_tools_json_is_the_listing_as_it_is_served() {
    let file: Value = serde_json::from_str(include_str!("../mcp-tools.json")).unwrap();
    let (_, answer) = ask(&request("tools/list", &json!({})), &Headers::default());
    assert_eq!(file, answer["result"]);
}
