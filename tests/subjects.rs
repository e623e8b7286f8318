//! Whom other issuers vouch for: the names derived from them, how they are recorded, and what is revoked.

mod support;

use agent_codex::auth::access::{Access, Caller};
use agent_codex::auth::external::{External, Revocation, Subject, TokenId};
use agent_codex::auth::jwt::Unverified;
use agent_codex::auth::{GrantId, Refusal, Scope, Scopes};
use agent_codex::codex::message::{Message, Outcome};
use agent_codex::codex::take_turn;
use agent_codex::notebook::Surroundings;
use agent_codex::notebook::arguments::{Call, Search};
use agent_codex::notebook::quota::Quota;
use agent_codex::notebook::time::Timestamp;
use serde_json::{Value, json};
use support::tokens::{ISSUER, SECONDS, claims, header, token_of, with};
use support::{START, TestCodex, reply};

const MINUTE: i64 = 60_000;

#[test]
fn the_codex_the_grant_and_the_token_id_of_a_subject_are_those_of_version_1() {
    let subject = Subject::of(ISSUER, "ada").unwrap();
    assert_eq!(subject.codex.as_str(), "ext.1HA3AiSWK-bQTqxAZRDuj2Bl9Bz945fBT-6T6yaqf-M");
    assert_eq!(subject.grant.to_string(), "6860076f-2d99-8af4-a4de-4226be6a6e03");
    assert_eq!(subject.label, "https://issuer.example ada");
    assert_eq!(TokenId::of(ISSUER, "1").as_str(), "ERWtICTM33faDAnVPYJMU5NOJQnYul9WcoMDpP82noU");
    let shifted = Subject::of("https://issuer.examplea", "da").unwrap();
    assert_ne!((shifted.codex, shifted.grant), (subject.codex, subject.grant));
    assert_eq!(Subject::of(ISSUER, &"é".repeat(500)).unwrap().label.chars().count(), 128);
}

struct Bearer {
    codex: TestCodex,
    external: External,
}

impl Bearer {
    fn new(changes: Value) -> Self {
        Self { codex: TestCodex::new(), external: external(changes) }
    }

    fn turn(&mut self, message: &Message) -> Outcome {
        let mut randomness = |bytes: &mut [u8]| bytes.fill(9);
        let now = Timestamp::from_milliseconds(self.codex.now);
        take_turn(
            &self.codex.storage,
            &mut self.codex.grants.borrow_mut(),
            message,
            &mut Surroundings { now, quota: &Quota::default(), randomness: &mut randomness },
        )
        .unwrap()
    }

    fn call(&mut self, needed: Scopes) -> Outcome {
        let (access, call) =
            (Access::External(self.external.clone()), Call::Search(Search { limit: 1, ..Search::default() }));
        self.turn(&Message::Call { access, needed, call, reply: reply(), trace: None })
    }

    fn reads(&mut self) -> bool {
        match self.call(Scopes::NONE.with(Scope::Read)) {
            Outcome::Result(_) => true,
            outcome => {
                assert_eq!(outcome, Outcome::Refused(Refusal::InvalidToken));
                false
            }
        }
    }

    fn listed(&mut self) -> Value {
        let Outcome::Result(json) = self.turn(&Message::ListGrants) else { panic!("no list") };
        serde_json::from_str(&json).unwrap()
    }
}

fn external(changes: Value) -> External {
    let token = token_of(&header().to_string(), &with(claims(), changes));
    let caller = Caller::external(&Unverified::parse(&token).unwrap().claims).unwrap();
    let Access::External(external) = caller.access else { panic!("not external") };
    external
}

fn revocation(grant: GrantId, jti: Option<&str>, lifetime: Option<i64>) -> Message {
    let token = jti.map(|jti| TokenId::of(ISSUER, jti));
    Message::RevokeExternal(Revocation { grant, label: "ada".to_owned(), token, lifetime })
}

#[test]
fn a_subject_is_listed_from_its_first_use_with_every_scope_that_its_tokens_had() {
    let mut bearer = Bearer::new(json!({"scope": "openid notes:read"}));
    assert_eq!(bearer.call(Scopes::ALL), Outcome::Refused(Refusal::InsufficientScope));
    assert_eq!(bearer.listed(), json!([]));
    assert!(bearer.reads());
    let listed = bearer.listed();
    assert_eq!(listed[0]["id"], Subject::of(ISSUER, "ada").unwrap().grant.to_string());
    assert_eq!(
        (&listed[0]["label"], &listed[0]["scopes"]),
        (&json!("https://issuer.example ada"), &json!(["notes:read"]))
    );
    assert_eq!(listed[0]["lastUsedAt"], listed[0]["createdAt"]);
    bearer.external = external(json!({"scope": "notes:read notes:write"}));
    assert!(bearer.reads());
    bearer.external = external(json!({}));
    assert!(bearer.reads());
    assert_eq!(bearer.listed()[0]["scopes"], json!(["notes:read", "notes:write"]));
    assert_eq!(bearer.call(Scopes::ALL), Outcome::Refused(Refusal::InsufficientScope));
    assert_eq!(bearer.listed().as_array().unwrap().len(), 1);
}

#[test]
fn a_revoked_subject_is_refused_by_the_very_next_call_with_any_token() {
    let mut bearer = Bearer::new(json!({}));
    assert!(bearer.reads());
    let revoke = Message::RevokeGrant(bearer.external.grant);
    bearer.turn(&revoke);
    assert!(!bearer.reads());
    bearer.external = external(json!({"jti": "2"}));
    assert!(!bearer.reads());
}

#[test]
fn a_subject_is_revoked_before_its_first_use_and_again_without_harm() {
    let mut bearer = Bearer::new(json!({}));
    let revoke = revocation(bearer.external.grant, None, None);
    bearer.turn(&revoke);
    let listed = bearer.listed();
    assert!(!bearer.reads());
    bearer.codex.now += MINUTE;
    bearer.turn(&revoke);
    assert_eq!(bearer.listed(), listed);
}

#[test]
fn a_revoked_token_is_refused_by_the_very_next_call_and_no_other_token_is() {
    let mut bearer = Bearer::new(json!({}));
    assert!(bearer.reads());
    let revoke = |jti: &str, lifetime| revocation(Subject::of(ISSUER, "ada").unwrap().grant, Some(jti), lifetime);
    bearer.turn(&revoke("1", Some(MINUTE)));
    assert!(!bearer.reads());
    for other in [json!({"jti": "2"}), json!({"jti": null})] {
        bearer.external = external(other);
        assert!(bearer.reads());
    }
    bearer.turn(&revoke("2", None));
    bearer.codex.now += MINUTE;
    bearer.turn(&revoke("3", Some(MINUTE)));
    bearer.external = external(json!({"exp": SECONDS + 6_000}));
    assert!(bearer.reads(), "its revocation need not be kept any longer");
    bearer.external = external(json!({"jti": "2"}));
    assert!(!bearer.reads());
}

#[test]
fn the_codex_refuses_a_token_that_expires_on_the_way() {
    let mut bearer = Bearer::new(json!({"exp": SECONDS}));
    bearer.codex.now = START + MINUTE - 1;
    assert!(bearer.reads());
    bearer.codex.now += 1;
    assert!(!bearer.reads());
}
