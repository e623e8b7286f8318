//! What travels between the edge and a codex arrives whole, in the format whose number it carries.

use agent_codex::auth::access::Access;
use agent_codex::auth::external::{External, Revocation, TokenId};
use agent_codex::auth::oauth::family::{Bound, Exchange, Issued, NewCode, Refresh};
use agent_codex::auth::{GrantId, Resource, Scope, Scopes};
use agent_codex::codex::message::Message;
use agent_codex::json;
use agent_codex::mcp::era::Era;
use agent_codex::mcp::rpc::Id;
use agent_codex::mcp::{CallReply, Trace};
use agent_codex::notebook::arguments::{Call, Tool};
use agent_codex::notebook::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Makes the answer to a request of an id.
fn reply() -> CallReply {
    CallReply::new(Id::null(), Era::Handshake)
}

fn call(tool: Tool, arguments: &Value) -> Message {
    let text = arguments.to_string();
    let document = json::parse(text.as_bytes()).unwrap();
    let call = Call::parse(tool, document.root(), document.flaws()).unwrap();
    let access = Access::Grant { id: GrantId::from_random([1; 16]), generation: Some(3) };
    Message::Call { access, needed: Scopes::NONE.with(Scope::Read), call, reply: reply(), trace: None }
}

/// Messages of every kind, with every member given.
fn messages() -> Vec<Message> {
    let id = "0197f2d0-0000-4000-8000-000000000000";
    let grant = GrantId::from_random([2; 16]);
    let resource = Resource::of("https://codex.example/mcp");
    let bound = Bound { client: [3; 32], resource };
    let external = External {
        grant,
        label: "é\0".to_owned(),
        token: Some(TokenId::of("https://issuer.example", "1")),
        scopes: Scopes::ALL,
        expires_at: Timestamp::from_milliseconds(5),
    };
    let Message::Call { needed, call: found, .. } = call(Tool::Search, &json!({"limit": 7})) else { unreachable!() };
    let params = json::parse(br#"{"_meta":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}"#);
    let trace = Trace::of(Some(params.unwrap().root()));
    assert!(trace.is_some());
    vec![
        call(Tool::Save, &json!({"requestId": "r", "entry": {"content": "kept"}})),
        call(Tool::Get, &json!({"id": id})),
        call(Tool::Search, &json!({"query": "ß", "tag": "a", "relatedAgentId": "b", "limit": 3, "cursor": "c"})),
        call(Tool::Update, &json!({"id": id, "expectedRevision": 1, "entry": {"content": "kept"}})),
        Message::Call { access: Access::External(external), needed, call: found, reply: reply(), trace },
        Message::CreateGrant { id: grant, label: "é\0".to_owned(), scopes: Scopes::ALL, lifetime: Some(5) },
        Message::ListGrants,
        Message::RevokeGrant(grant),
        Message::RevokeGrants,
        Message::RevokeExternal(Revocation { grant, label: "x".to_owned(), token: None, lifetime: Some(-5) }),
        Message::RecordCode(NewCode {
            id: [4; 16],
            bound,
            challenge: [5; 32],
            redirect_uri: [6; 32],
            scopes: Scopes::ALL,
            label: "x".to_owned(),
        }),
        Message::ExchangeCode(Exchange { code: [4; 16], bound, challenge: [5; 32], redirect_uri: None, grant }),
        Message::RefreshTokens(Refresh { grant, generation: 300, bound }),
    ]
}

#[test]
fn a_message_of_every_kind_travels_whole() {
    for message in messages() {
        let wire = message.to_wire().unwrap();
        assert_eq!(Message::from_wire(&wire), Some(message));
        assert_eq!(Message::from_wire(&[&wire[..], b"x"].concat()), None, "there is more than the message");
        assert_eq!(Message::from_wire(&wire[..wire.len() - 1]), None, "there is less than the message");
        assert_eq!(Message::from_wire(&[&[wire[0] + 1], &wire[1..]].concat()), None, "it is of another format");
    }
    assert_eq!(Message::from_wire(&[]), None);
}

#[test]
fn a_message_is_of_the_format_whose_number_it_carries() {
    let bytes: Vec<_> = messages().iter().flat_map(|message| message.to_wire().unwrap()).collect();
    let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(bytes));
    assert_eq!(
        digest, "AVv1dUdw01_Ppa8dA_ML-h7zJnevh1kYtbNVRiJ774o",
        "the format is another one now: so must its number be, FORMAT, and then this digest"
    );
}

#[test]
fn what_a_codex_issues_travels_whole() {
    for (scopes, issued_at) in [(Scopes::ALL, 1_800_000_000_000), (Scopes::NONE.with(Scope::Read), -1)] {
        let issued = Issued { grant: GrantId::from_random([2; 16]), scopes, generation: u32::MAX, issued_at };
        assert_eq!(Issued::from_json(&issued.to_json()), Some(issued));
    }
    assert_eq!(Issued::from_json("{}"), None);
}
