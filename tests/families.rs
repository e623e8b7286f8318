//! What authorization codes and refresh tokens give, to whom, and how often.

mod support;

use agent_codex::auth::oauth::family::{Bound, Exchange, Issued, NewCode, Refresh};
use agent_codex::auth::oauth::token::{Code, RefreshToken, answer};
use agent_codex::auth::oauth::{ACCESS_LIFETIME, CODE_LIFETIME, REPLAY_WINDOW, digest};
use agent_codex::auth::{Access, CodexName, Credential, GrantId, Refusal, Resource, Scope, Scopes, SealKeys};
use agent_codex::codex::message::{Message, Outcome};
use agent_codex::codex::take_turn;
use agent_codex::notebook::Surroundings;
use agent_codex::notebook::arguments::{Call, Search};
use agent_codex::notebook::quota::Quota;
use agent_codex::notebook::time::Timestamp;
use serde_json::{Value, json};
use support::{TestCodex, reply};

const REDIRECT: &str = "https://host.example/callback";

fn keys() -> SealKeys {
    SealKeys::parse("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA").unwrap()
}

fn name() -> CodexName {
    CodexName::parse("local").unwrap()
}

fn grant_id() -> GrantId {
    GrantId::from_random([1; 16])
}

fn bound() -> Bound {
    Bound { client: digest("client"), resource: Resource::of("https://codex.example/mcp") }
}

fn new_code() -> NewCode {
    let (challenge, redirect_uri) = (digest("verifier"), digest(REDIRECT));
    NewCode { id: [5; 16], bound: bound(), challenge, redirect_uri, scopes: Scopes::ALL, label: "Host".to_owned() }
}

fn exchange() -> Exchange {
    Exchange {
        code: [5; 16],
        bound: bound(),
        challenge: digest("verifier"),
        redirect_uri: Some(digest(REDIRECT)),
        grant: grant_id(),
    }
}

fn refresh(generation: u32) -> Message {
    Message::RefreshTokens(Refresh { grant: grant_id(), generation, bound: bound() })
}

fn turn(codex: &TestCodex, message: &Message) -> Outcome {
    let mut randomness = |bytes: &mut [u8]| bytes.fill(9);
    let now = Timestamp::from_milliseconds(codex.now);
    take_turn(
        &codex.storage,
        &mut codex.grants.borrow_mut(),
        message,
        &mut Surroundings { now, quota: &Quota::default(), randomness: &mut randomness },
    )
    .unwrap()
}

fn read(json: &str) -> Value {
    serde_json::from_str(json).unwrap()
}

fn issued(outcome: Outcome) -> Option<Issued> {
    match outcome {
        Outcome::Result(json) => Some(Issued::from_json(&json).unwrap()),
        Outcome::Refused(Refusal::InvalidGrant) => None,
        other => panic!("{other:?}"),
    }
}

/// Whether the grant's newest access token, or that of `generation`, opens the codex.
fn opens(codex: &TestCodex, generation: u32) -> bool {
    let call = Call::Search(Search::default());
    let needed = Scopes::NONE.with(Scope::Read);
    let message = Message::Call {
        access: Access::Grant { id: grant_id(), generation: Some(generation) },
        needed,
        call,
        reply: reply(),
        trace: None,
    };
    matches!(turn(codex, &message), Outcome::Result(_))
}

fn signed_in() -> TestCodex {
    let codex = TestCodex::new();
    turn(&codex, &Message::RecordCode(new_code()));
    assert_eq!(issued(turn(&codex, &Message::ExchangeCode(exchange()))).unwrap().generation, 1);
    codex
}

#[test]
fn a_code_gives_one_grant_to_the_client_that_it_was_made_for() {
    let fails = |change: fn(&mut Exchange)| {
        let codex = TestCodex::new();
        turn(&codex, &Message::RecordCode(new_code()));
        let mut asked = exchange();
        change(&mut asked);
        assert_eq!(issued(turn(&codex, &Message::ExchangeCode(asked))), None);
        assert!(issued(turn(&codex, &Message::ExchangeCode(exchange()))).is_some(), "the code is still good");
    };
    fails(|asked| asked.code = [6; 16]);
    fails(|asked| asked.bound.client = digest("another"));
    fails(|asked| asked.bound.resource = Resource::of("https://other.example/mcp"));
    fails(|asked| asked.challenge = digest("another verifier"));
    fails(|asked| asked.redirect_uri = Some(digest("https://evil.example/")));
    let codex = TestCodex::new();
    turn(&codex, &Message::RecordCode(new_code()));
    assert!(issued(turn(&codex, &Message::ExchangeCode(Exchange { redirect_uri: None, ..exchange() }))).is_some());
}

#[test]
fn a_code_expires_after_a_minute() {
    for (late, good) in [(CODE_LIFETIME - 1, true), (CODE_LIFETIME, false)] {
        let mut codex = TestCodex::new();
        turn(&codex, &Message::RecordCode(new_code()));
        codex.now += late;
        assert_eq!(issued(turn(&codex, &Message::ExchangeCode(exchange()))).is_some(), good);
    }
}

#[test]
fn a_code_that_is_used_again_takes_back_what_it_gave() {
    let codex = signed_in();
    assert!(opens(&codex, 1));
    assert_eq!(issued(turn(&codex, &Message::ExchangeCode(exchange()))), None);
    assert!(!opens(&codex, 1));
    assert_eq!(issued(turn(&codex, &refresh(1))), None);
}

#[test]
fn a_used_code_is_remembered_for_a_day() {
    let mut codex = signed_in();
    codex.now += 86_000_000;
    turn(&codex, &Message::RecordCode(NewCode { id: [7; 16], ..new_code() }));
    assert_eq!(issued(turn(&codex, &Message::ExchangeCode(exchange()))), None);
    assert!(!opens(&codex, 1), "its second use was noticed");
}

#[test]
fn each_refresh_gives_the_next_generation_and_old_access_tokens_live_out_their_time() {
    let mut codex = signed_in();
    for generation in 1..5 {
        codex.now += ACCESS_LIFETIME;
        assert_eq!(issued(turn(&codex, &refresh(generation))).unwrap().generation, generation + 1);
        assert!(opens(&codex, generation) && opens(&codex, generation + 1));
    }
}

#[test]
fn racing_refreshes_and_repeated_ones_give_the_same_tokens() {
    let mut codex = signed_in();
    let first = issued(turn(&codex, &refresh(1))).unwrap();
    assert!(opens(&codex, 2));
    codex.now += REPLAY_WINDOW;
    for _ in 0..50 {
        assert_eq!(issued(turn(&codex, &refresh(1))), Some(first));
    }
    let at = Timestamp::from_milliseconds(codex.now);
    let tokens = |issued: &Issued| answer(&keys(), &name(), issued, bound().resource, at);
    assert_eq!(tokens(&first), tokens(&issued(turn(&codex, &refresh(1))).unwrap()));
    assert_eq!(issued(turn(&codex, &refresh(2))).unwrap().generation, 3);
}

#[test]
fn a_lost_answer_is_given_again_however_late_as_long_as_it_was_not_used() {
    let mut codex = signed_in();
    assert_eq!(issued(turn(&codex, &refresh(1))).unwrap().generation, 2);
    codex.now += 30 * 24 * 3_600_000;
    let again = issued(turn(&codex, &refresh(1))).unwrap();
    assert_eq!((again.generation, again.issued_at), (2, codex.now), "with an access token that has its time before it");
    assert!(opens(&codex, 2));
}

#[test]
fn a_refresh_token_that_was_used_and_whose_answer_was_used_too_revokes_the_family() {
    let mut codex = signed_in();
    assert_eq!(issued(turn(&codex, &refresh(1))).unwrap().generation, 2);
    assert!(opens(&codex, 2));
    codex.now += REPLAY_WINDOW + 1;
    assert_eq!(issued(turn(&codex, &refresh(1))), None);
    assert!(!opens(&codex, 2));
    assert_eq!(issued(turn(&codex, &refresh(2))), None);
}

#[test]
fn a_refresh_token_that_is_two_behind_or_never_was_revokes_the_family() {
    for wrong in [1, 4, 0, u32::MAX] {
        let codex = signed_in();
        for generation in 1..3 {
            assert!(issued(turn(&codex, &refresh(generation))).is_some());
        }
        assert_eq!(issued(turn(&codex, &refresh(wrong))), None, "{wrong}");
        assert_eq!(issued(turn(&codex, &refresh(3))), None, "{wrong}");
    }
}

#[test]
fn a_refresh_token_is_good_for_its_own_client_and_resource_and_another_does_not_revoke_it() {
    let codex = signed_in();
    for bound in [
        Bound { client: digest("another"), ..bound() },
        Bound { resource: Resource::of("https://other.example/mcp"), ..bound() },
    ] {
        let asked = Refresh { grant: grant_id(), generation: 1, bound };
        assert_eq!(issued(turn(&codex, &Message::RefreshTokens(asked))), None);
    }
    assert!(issued(turn(&codex, &refresh(1))).is_some());
}

#[test]
fn a_revoked_grant_refreshes_nothing() {
    let codex = signed_in();
    turn(&codex, &Message::RevokeGrant(grant_id()));
    assert_eq!(issued(turn(&codex, &refresh(1))), None);
    assert!(!opens(&codex, 1));
}

// --- Tokens as strings ---

#[test]
fn the_bytes_of_codes_refresh_tokens_and_access_tokens_are_those_of_their_versions() {
    let code = Code { id: [5; 16], codex: name() };
    let refresh = RefreshToken { grant: grant_id(), generation: 7, codex: name() };
    let issued = Issued { grant: grant_id(), scopes: Scopes::ALL, generation: 7, issued_at: 1_000 };
    let tokens = read(&answer(&keys(), &name(), &issued, bound().resource, Timestamp::from_milliseconds(1_000)));
    assert_eq!(code.seal(&keys()), "acc_AQUFBQUFBQUFBQUFBQUFBQVsb2NhbKly01Y9XrXMXl9WDaqKO_29e9iaTjBUzg2cmRMVzo32");
    assert_eq!(
        refresh.seal(&keys()),
        "acr_AQEBAQEBAUEBgQEBAQEBAQEAAAAHbG9jYWzkY2NaFp-aXwX1d3DjtD-xddVNqtJiSjLEdY1H3PInCg"
    );
    assert_eq!(
        tokens["access_token"],
        "acx_AgMBAQEBAQFBAYEBAQEBAQEBAAAABwAAAAAANvJo0e0qdDl9aHFsb2NhbJzV0Mt7tvpwg00MC_hIqi162HQAYsjV4VnQ16OsW1n9"
    );
    assert_eq!((&tokens["expires_in"], &tokens["token_type"]), (&json!(3_600), &json!("Bearer")));
    assert_eq!(Code::open(&keys(), &code.seal(&keys())), Some(code.clone()));
    assert_eq!(RefreshToken::open(&keys(), tokens["refresh_token"].as_str().unwrap()), Some(refresh));
    assert_eq!(RefreshToken::open(&keys(), &code.seal(&keys()).replace("acc_", "acr_")), None);
}

#[test]
fn an_access_token_is_for_one_resource_server_until_it_expires() {
    let issued = Issued { grant: grant_id(), scopes: Scopes::ALL, generation: 1, issued_at: 0 };
    let start = Timestamp::from_milliseconds(0);
    let tokens = read(&answer(&keys(), &name(), &issued, bound().resource, start));
    let access = Credential::open(&keys(), tokens["access_token"].as_str().unwrap()).unwrap();
    assert!(access.is_for("https://codex.example/mcp", start.plus(ACCESS_LIFETIME - 1)));
    assert!(!access.is_for("https://codex.example/mcp", start.plus(ACCESS_LIFETIME)));
    assert!(!access.is_for("https://other.example/mcp", start));
}
