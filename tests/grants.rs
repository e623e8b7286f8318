//! Credentials and grants: what a token opens, and what its codex makes of it.

mod support;

use agent_codex::auth::seal::parse_key;
use agent_codex::auth::{
    Access, Challenge, CodexName, Credential, GrantId, OwnerKey, Refusal, Scope, Scopes, SealKeys,
};
use agent_codex::codex::message::{Message, Outcome};
use agent_codex::codex::take_turn;
use agent_codex::notebook::Surroundings;
use agent_codex::notebook::arguments::{Call, Search};
use agent_codex::notebook::quota::Quota;
use agent_codex::notebook::time::Timestamp;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use support::{START, TestCodex, reply};

const FIRST: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
const SECOND: &str = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE";
const HOUR: i64 = 3_600_000;

fn read_only() -> Scopes {
    Scopes::NONE.with(Scope::Read)
}

fn credential(scopes: Scopes) -> Credential {
    Credential { codex: CodexName::parse("local").unwrap(), grant: GrantId::from_random([7; 16]), scopes, issue: None }
}

#[test]
fn a_token_says_what_was_sealed_in_it() {
    let keys = SealKeys::parse(FIRST).unwrap();
    for scopes in [read_only(), Scopes::ALL] {
        assert_eq!(Credential::open(&keys, &credential(scopes).seal(&keys)), Some(credential(scopes)));
    }
}

#[test]
fn the_bytes_of_a_token_are_those_of_version_1() {
    let token = credential(Scopes::ALL).seal(&SealKeys::parse(FIRST).unwrap());
    assert_eq!(token, "acx_AQMHBwcHBwdHB4cHBwcHBwcHbG9jYWwJlI5F2A2oHNPR_Bztq2oRXUlQUNJyPZSYqJDbVDzksg");
}

#[test]
fn a_token_with_any_bit_changed_or_cut_anywhere_opens_nothing() {
    let keys = SealKeys::parse(FIRST).unwrap();
    let token = credential(read_only()).seal(&keys);
    let bytes = URL_SAFE_NO_PAD.decode(token.strip_prefix("acx_").unwrap()).unwrap();
    let sealed = |bytes: &[u8]| format!("acx_{}", URL_SAFE_NO_PAD.encode(bytes));
    for bit in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(Credential::open(&keys, &sealed(&changed)), None, "bit {bit}");
    }
    for length in 0..bytes.len() {
        assert_eq!(Credential::open(&keys, &sealed(&bytes[..length])), None, "{length} bytes");
    }
    for other in ["", "acx_", "acx_!", &token[4..], &format!("{token}="), &format!("{token} "), &"a".repeat(10_000)] {
        assert_eq!(Credential::open(&keys, other), None, "{other}");
    }
}

#[test]
fn keys_rotate_the_first_seals_and_both_open() {
    let (old, new) = (SealKeys::parse(FIRST).unwrap(), SealKeys::parse(SECOND).unwrap());
    let both = SealKeys::parse(&format!("{SECOND}, {FIRST}")).unwrap();
    let token = credential(Scopes::ALL).seal(&old);
    assert_eq!(Credential::open(&new, &token), None);
    assert_eq!(Credential::open(&both, &token), Some(credential(Scopes::ALL)));
    assert_eq!(credential(Scopes::ALL).seal(&both), credential(Scopes::ALL).seal(&new));
}

#[test]
fn a_setting_without_usable_keys_is_refused_and_not_repeated() {
    for setting in ["", "short", ",", &format!("{FIRST},"), &format!("{FIRST},{FIRST},{SECOND}"), "!!!!"] {
        let reason = SealKeys::parse(setting).unwrap_err();
        assert!(setting.is_empty() || setting == "," || !reason.contains(setting));
    }
    assert_eq!(format!("{:?}", SealKeys::parse(FIRST).unwrap()), "SealKeys(1)");
}

#[test]
fn the_owner_key_is_that_key_alone() {
    let key = OwnerKey::parse(FIRST).unwrap();
    assert!(key.matches(FIRST));
    for other in [SECOND, "", "AAAA", &FIRST[1..]] {
        assert!(!key.matches(other));
    }
    assert!(parse_key("AAAA").is_none());
}

#[test]
fn a_codex_name_has_1_to_128_plain_characters() {
    for name in ["a", "A-b_c.d@e", &"x".repeat(128)] {
        assert_eq!(CodexName::parse(name).unwrap().as_str(), name);
    }
    for name in ["", "a b", "é", "a/b", "a\0", &"x".repeat(129)] {
        assert_eq!(CodexName::parse(name), None, "{name}");
    }
}

struct Granted {
    codex: TestCodex,
    id: GrantId,
}

impl Granted {
    fn new(scopes: Scopes, lifetime: Option<i64>) -> Self {
        let mut granted = Self { codex: TestCodex::new(), id: GrantId::from_random([1; 16]) };
        granted.turn(&Message::CreateGrant { id: granted.id, label: "laptop \"x\"".to_owned(), scopes, lifetime });
        granted
    }

    fn turn(&mut self, message: &Message) -> Outcome {
        let mut randomness = |bytes: &mut [u8]| bytes.fill(9);
        let mut surroundings = Surroundings {
            now: Timestamp::from_milliseconds(self.codex.now),
            quota: &Quota::default(),
            randomness: &mut randomness,
        };
        take_turn(&self.codex.storage, &mut self.codex.grants.borrow_mut(), message, &mut surroundings).unwrap()
    }

    fn call(&mut self, needed: Scopes) -> Outcome {
        let call = Call::Search(Search { limit: 1, ..Search::default() });
        self.turn(&Message::Call {
            access: Access::Grant { id: self.id, generation: None },
            needed,
            call,
            reply: reply(),
            trace: None,
        })
    }

    fn listed(&mut self) -> Value {
        match self.turn(&Message::ListGrants) {
            Outcome::Result(json) => serde_json::from_str(&json).unwrap(),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_grant_permits_its_scopes() {
    let mut granted = Granted::new(read_only(), None);
    assert!(matches!(granted.call(read_only()), Outcome::Result(_)));
    assert_eq!(granted.call(Scopes::ALL), Outcome::Refused(Refusal::InsufficientScope));
}

#[test]
fn every_grant_is_revoked_at_once_and_one_that_was_revoked_before_stays_revoked_since_then() {
    let mut granted = Granted::new(Scopes::ALL, None);
    let other = GrantId::from_random([2; 16]);
    granted.turn(&Message::CreateGrant { id: other, label: String::new(), scopes: Scopes::ALL, lifetime: None });
    granted.turn(&Message::RevokeGrant(other));
    let since = granted.codex.now;
    granted.codex.now += HOUR;
    assert_eq!(granted.turn(&Message::RevokeGrants), Outcome::Result("{}".to_owned()));
    assert_eq!(granted.call(read_only()), Outcome::Refused(Refusal::InvalidToken));
    let Outcome::Result(list) = granted.turn(&Message::ListGrants) else { panic!("a list") };
    let list: Value = serde_json::from_str(&list).unwrap();
    let times: Vec<_> = list.as_array().unwrap().iter().map(|grant| grant["revokedAt"].as_str().unwrap()).collect();
    let expected = |time| Timestamp::from_milliseconds(time).to_string();
    assert!(times.contains(&expected(since).as_str()) && times.contains(&expected(since + HOUR).as_str()), "{times:?}");
}

#[test]
fn an_unknown_grant_permits_nothing() {
    let mut granted = Granted::new(Scopes::ALL, None);
    granted.id = GrantId::from_random([2; 16]);
    assert_eq!(granted.call(read_only()), Outcome::Refused(Refusal::InvalidToken));
    let revoke = Message::RevokeGrant(granted.id);
    assert_eq!(granted.turn(&revoke), Outcome::Refused(Refusal::UnknownGrant));
}

#[test]
fn a_revoked_grant_stops_the_very_next_call_and_stays_revoked_since_then() {
    let mut granted = Granted::new(Scopes::ALL, None);
    assert!(matches!(granted.call(Scopes::ALL), Outcome::Result(_)));
    let revoke = Message::RevokeGrant(granted.id);
    granted.turn(&revoke);
    assert_eq!(granted.call(read_only()), Outcome::Refused(Refusal::InvalidToken));
    let revoked = granted.listed()[0]["revokedAt"].clone();
    granted.codex.now += HOUR;
    granted.turn(&revoke);
    assert_eq!(granted.listed()[0]["revokedAt"], revoked);
}

#[test]
fn a_grant_permits_nothing_from_its_expiry_on() {
    let mut granted = Granted::new(Scopes::ALL, Some(HOUR));
    granted.codex.now = START + HOUR - 1;
    assert!(matches!(granted.call(Scopes::ALL), Outcome::Result(_)));
    granted.codex.now = START + HOUR;
    assert_eq!(granted.call(Scopes::ALL), Outcome::Refused(Refusal::InvalidToken));
}

#[test]
fn a_grant_is_listed_with_its_last_use_to_the_hour() {
    let mut granted = Granted::new(read_only(), Some(100 * HOUR));
    let created = "2027-01-15T08:00:00.000Z";
    let expected = serde_json::json!([{
        "id": "01010101-0101-4101-8101-010101010101", "label": "laptop \"x\"", "scopes": ["notes:read"],
        "createdAt": created, "expiresAt": "2027-01-19T12:00:00.000Z"
    }]);
    assert_eq!(granted.listed(), expected);
    granted.codex.now += 1;
    granted.call(read_only());
    assert_eq!(granted.listed()[0]["lastUsedAt"], "2027-01-15T08:00:00.001Z");
    granted.codex.now += HOUR - 1;
    granted.call(read_only());
    assert_eq!(granted.listed()[0]["lastUsedAt"], "2027-01-15T08:00:00.001Z");
    granted.codex.now += 1;
    granted.call(read_only());
    assert_eq!(granted.listed()[0]["lastUsedAt"], "2027-01-15T09:00:00.001Z");
}

#[test]
fn a_challenge_names_the_metadata_absolutely_and_an_error_only_for_a_credential_that_was_sent() {
    let metadata = "resource_metadata=\"https://notes.example/.well-known/oauth-protected-resource/mcp\"";
    let header = |challenge: Challenge| challenge.header("https://notes.example");
    assert_eq!(header(Challenge::Missing), format!("Bearer {metadata}, scope=\"notes:read notes:write\""));
    assert!(header(Challenge::InvalidToken).contains(", error=\"invalid_token\""));
    let insufficient = header(Challenge::InsufficientScope(Scopes::ALL));
    assert!(insufficient.contains("scope=\"notes:read notes:write\", error=\"insufficient_scope\""), "{insufficient}");
}

#[test]
fn outcomes_travel_whole() {
    let outcomes = [
        Outcome::Result("{}".to_owned()),
        Outcome::Failure("{\"error\"}".to_owned()),
        Outcome::Refused(Refusal::InvalidToken),
        Outcome::Refused(Refusal::InsufficientScope),
        Outcome::Refused(Refusal::UnknownGrant),
    ];
    for outcome in outcomes {
        assert_eq!(Outcome::from_wire(outcome.clone().into_wire()), Some(outcome));
    }
    assert_eq!(Outcome::from_wire(Vec::new()), None);
    assert_eq!(Outcome::from_wire(b"{}".to_vec()), None);
}
