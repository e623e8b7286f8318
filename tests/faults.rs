//! A codex whose storage fails, at every step of everything that it does: what was asked has happened whole or not at all,
//! the answer says which, and the next turn works.

mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};

use agent_codex::auth::access::Access;
use agent_codex::auth::external::{External, Revocation, TokenId};
use agent_codex::auth::oauth::digest;
use agent_codex::auth::oauth::family::{Bound, Exchange, NewCode, Refresh};
use agent_codex::auth::{GrantId, KnownGrants, Resource, Scope, Scopes};
use agent_codex::codex::message::{Message, Outcome};
use agent_codex::codex::take_turn;
use agent_codex::json;
use agent_codex::notebook::arguments::{Call, Tool};
use agent_codex::notebook::quota::Quota;
use agent_codex::notebook::storage::{Param, Row, Storage, StorageError};
use agent_codex::notebook::time::Timestamp;
use agent_codex::notebook::{Surroundings, index, tables};
use serde_json::{Value, json};
use support::faulty::{Fault, Faulty};
use support::random::Random;
use support::sqlite::Sqlite;
use support::{DAY, START, reply};

const GRANT: [u8; 16] = [1; 16];

/// Later than any record of a last use that the preparation left.
const NOW: i64 = START + DAY;

/// Of the randomness of the turns that fail; an entry was saved with it before, so the first id that a save draws is taken.
const SEED: u64 = 77;

fn turn(storage: &impl Storage, message: &Message, now: i64, seed: u64) -> Result<Outcome, StorageError> {
    turn_within(&Quota::default(), storage, message, now, seed)
}

fn turn_within(
    quota: &Quota,
    storage: &impl Storage,
    message: &Message,
    now: i64,
    seed: u64,
) -> Result<Outcome, StorageError> {
    let mut random = Random(seed);
    let mut randomness = |bytes: &mut [u8]| bytes.fill_with(|| random.next().to_le_bytes()[0]);
    let now = Timestamp::from_milliseconds(now);
    tables::migrate(storage, now)?;
    take_turn(
        storage,
        &mut KnownGrants::default(),
        message,
        &mut Surroundings { now, quota, randomness: &mut randomness },
    )
}

/// A turn as the object takes it, for which a panic is an error.
fn guarded(storage: &impl Storage, message: &Message) -> Result<Outcome, StorageError> {
    // So small that the size is looked at before the writes and after them.
    let quota = Quota::parse("8").unwrap();
    catch_unwind(AssertUnwindSafe(|| turn_within(&quota, storage, message, NOW, SEED)))
        .unwrap_or_else(|_| Err(StorageError::new("a panic")))
}

fn call(tool: Tool, arguments: &Value) -> Message {
    let text = arguments.to_string();
    let document = json::parse(text.as_bytes()).unwrap();
    let call = Call::parse(tool, document.root(), document.flaws()).unwrap();
    Message::Call {
        access: Access::Grant { id: GrantId::from_bytes(GRANT), generation: None },
        needed: Scopes::needed_by(tool),
        call,
        reply: reply(),
        trace: None,
    }
}

fn create(id: [u8; 16]) -> Message {
    Message::CreateGrant {
        id: GrantId::from_bytes(id),
        label: "laptop".to_owned(),
        scopes: Scopes::ALL,
        lifetime: Some(40 * DAY),
    }
}

fn save(request: &str, content: &str) -> Message {
    call(Tool::Save, &json!({"requestId": request, "entry": {"content": content, "tags": ["kept"]}}))
}

/// Folds to more than is stored folded.
fn outgrown() -> String {
    "\u{fdfa}".repeat(31_000)
}

/// What the grant of a sign-in is called.
const FAMILY: [u8; 16] = [6; 16];
/// That of a sign-in whose tokens were refreshed, and the new ones used.
const REFRESHED: [u8; 16] = [18; 16];

fn bound() -> Bound {
    Bound { client: digest("client"), resource: Resource::of("https://codex.example/mcp") }
}

fn record(code: u8) -> Message {
    let (challenge, redirect_uri) = (digest("verifier"), digest("https://host.example/"));
    let label = "Host".to_owned();
    Message::RecordCode(NewCode { id: [code; 16], bound: bound(), challenge, redirect_uri, scopes: Scopes::ALL, label })
}

fn exchange(code: u8, grant: [u8; 16]) -> Message {
    let redirect_uri = Some(digest("https://host.example/"));
    let grant = GrantId::from_bytes(grant);
    Message::ExchangeCode(Exchange {
        code: [code; 16],
        bound: bound(),
        challenge: digest("verifier"),
        redirect_uri,
        grant,
    })
}

fn refresh_of(family: [u8; 16], generation: u32) -> Message {
    Message::RefreshTokens(Refresh { grant: GrantId::from_bytes(family), generation, bound: bound() })
}

/// A call by an access token of this generation.
fn call_by(family: [u8; 16], generation: u32) -> Message {
    let Message::Call { needed, call, .. } = call(Tool::Search, &json!({"query": "first"})) else { unreachable!() };
    let access = Access::Grant { id: GrantId::from_bytes(family), generation: Some(generation) };
    Message::Call { access, needed, call, reply: reply(), trace: None }
}

fn revocation(token: Option<TokenId>) -> Message {
    let (grant, label) = (GrantId::from_bytes([8; 16]), "issuer.example: ada".to_owned());
    Message::RevokeExternal(Revocation { grant, label, token, lifetime: None })
}

/// A save by a token of another issuer's subject.
fn save_by(subject: u8, scopes: Scopes) -> Message {
    let Message::Call { needed, call, .. } = save("by a subject", "kept") else { unreachable!() };
    let access = Access::External(External {
        grant: GrantId::from_bytes([subject; 16]),
        label: format!("{SUBJECT} {subject}"),
        token: Some(TokenId::of("https://issuer.example", "2")),
        scopes,
        expires_at: Timestamp::from_milliseconds(NOW + DAY),
    });
    Message::Call { access, needed, call, reply: reply(), trace: None }
}

/// Begins the label of each subject that calls.
const SUBJECT: &str = "issuer.example: subject";

/// A codex that has been used: a sign-in, two grants, entries, one of which no folded text is stored.
fn prepared() -> (Sqlite, Vec<Value>) {
    let storage = Sqlite::new();
    let mut ids = Vec::new();
    let messages = [create(GRANT), create([2; 16]), save("a", "first"), save("b", "second"), save("c", &outgrown())];
    for (seed, message) in (1..).zip(&messages) {
        let Ok(Outcome::Result(json)) = turn(&storage, message, START, seed) else { panic!("{message:?}") };
        if let Some(id) = serde_json::from_str::<Value>(&json).unwrap()["entry"]["id"].as_str() {
            ids.push(json!(id));
        }
    }
    let used = |generation| call_by(REFRESHED, generation);
    let subject = save_by(21, Scopes::ALL);
    let narrow = {
        let Message::Call { needed, call, .. } = call(Tool::Search, &json!({})) else { unreachable!() };
        let Message::Call { access: Access::External(external), .. } = subject else { unreachable!() };
        let access = Access::External(External { scopes: Scopes::NONE.with(Scope::Read), ..external });
        Message::Call { access, needed, call, reply: reply(), trace: None }
    };
    let more = [
        record(5),
        record(6),
        exchange(6, FAMILY),
        record(8),
        exchange(8, REFRESHED),
        refresh_of(REFRESHED, 1),
        used(2),
        narrow,
    ];
    for message in more {
        assert!(matches!(turn(&storage, &message, NOW, 7), Ok(Outcome::Result(_))), "{message:?}");
    }
    turn(&storage, &save("taken", "the first id that later saves draw"), START, SEED).unwrap();
    (storage, ids)
}

/// Everything that a codex is asked, by what it does with the storage.
fn messages(ids: &[Value]) -> Vec<(&'static str, Message)> {
    let update = |revision: i64| {
        let entry = json!({"content": "replaced", "title": "x".repeat(200)});
        call(Tool::Update, &json!({"id": ids[0], "expectedRevision": revision, "entry": entry}))
    };
    let unknown = json!("11111111-1111-4111-8111-111111111111");
    vec![
        ("a fresh save", save("new", &"long ".repeat(9_000))),
        ("a save that the quota refuses", save("large", &"\u{10348}".repeat(65_500))),
        ("a save by a subject that has not called before", save_by(20, Scopes::ALL)),
        ("a save by a subject that has another scope now", save_by(21, Scopes::ALL)),
        ("a save that is repeated", save("a", "first")),
        ("a save whose request id was used", save("a", "other")),
        ("an update", update(1)),
        ("an update that conflicts", update(2)),
        ("an update of nothing", {
            let entry = json!({"content": "x"});
            call(Tool::Update, &json!({"id": unknown, "expectedRevision": 1, "entry": entry}))
        }),
        ("a get", call(Tool::Get, &json!({"id": ids[2]}))),
        ("a get of nothing", call(Tool::Get, &json!({"id": unknown}))),
        ("a browse that makes the first cursor key", call(Tool::Search, &json!({"limit": 1}))),
        ("a search that folds again", call(Tool::Search, &json!({"query": "صلى", "tag": "kept"}))),
        ("a search with a cursor that is not ours", call(Tool::Search, &json!({"cursor": "AAAA"}))),
        ("a grant that is made", create([3; 16])),
        ("a grant that is revoked", Message::RevokeGrant(GrantId::from_bytes([2; 16]))),
        ("a grant that is not there", Message::RevokeGrant(GrantId::from_bytes([9; 16]))),
        ("every grant that is revoked", Message::RevokeGrants),
        ("the listing of grants", Message::ListGrants),
        ("a token of another issuer that is revoked", revocation(Some(TokenId::of("https://issuer.example", "1")))),
        ("a subject of another issuer that is revoked", revocation(None)),
        ("a code that is recorded", record(7)),
        ("a code that is exchanged", exchange(5, [7; 16])),
        ("a code that comes back", exchange(6, [7; 16])),
        ("a refresh", refresh_of(FAMILY, 1)),
        ("a refresh by a token that is not there", refresh_of(FAMILY, 3)),
        ("a refresh by a token that was used up", refresh_of(REFRESHED, 1)),
        ("a first call by an access token", call_by(FAMILY, 1)),
    ]
}

/// A dump in which the records of use, the one thing that may change beside what is asked, are the same everywhere.
fn without_last_use(dump: &[String]) -> Vec<String> {
    let masked = |row: &String| {
        let row = row.replace(&format!("last_used_at=Integer({NOW})"), "last_used_at=");
        let row = row
            .replace(&format!("last_used_at=Integer({START})"), "last_used_at=")
            .replace("last_used_at=Null", "last_used_at=");
        row.replace(" used=Integer(1)", " used=Integer(0)")
    };
    // A dump shows a text by its bytes.
    let subject = format!("{:?}", SUBJECT.as_bytes());
    let subject = subject.trim_matches(['[', ']']);
    dump.iter().filter(|row| !row.contains(subject)).map(masked).collect()
}

/// What a message does to a codex that has been used, when nothing breaks.
struct Undisturbed<'m> {
    name: &'m str,
    message: &'m Message,
    codex: &'m Sqlite,
    get: Message,
    outcome: Outcome,
    dump: Vec<String>,
}

impl<'m> Undisturbed<'m> {
    fn of(name: &'m str, message: &'m Message, codex: &'m Sqlite, get: Message) -> Self {
        let storage = codex.copy();
        let outcome = guarded(&storage, message).unwrap();
        Self { name, message, codex, get, outcome, dump: storage.dump() }
    }

    /// Runs the message on a storage in which `spoil` breaks something; then, if it failed, again on the same storage,
    /// mended. Says whether it failed.
    fn or_not_at_all(
        &self,
        spoil: impl FnOnce(&Sqlite) -> Result<Outcome, StorageError>,
        mend: impl FnOnce(&Sqlite),
    ) -> bool {
        let name = self.name;
        let storage = self.codex.copy();
        let answer = spoil(&storage);
        let found = without_last_use(&storage.dump());
        mend(&storage);
        if let Ok(outcome) = &answer {
            assert_eq!(*outcome, self.outcome, "{name}");
            assert_eq!(found, without_last_use(&self.dump), "{name}: answered, so it has happened");
        } else {
            assert_eq!(found, without_last_use(&self.codex.dump()), "{name}: failed, so nothing has changed");
            assert_eq!(guarded(&storage, self.message).as_ref(), Ok(&self.outcome), "{name}: the next turn works");
            assert_eq!(storage.dump(), self.dump, "{name}: and leaves what an undisturbed one leaves");
        }
        let works = matches!(guarded(&storage, &self.get), Ok(Outcome::Result(_) | Outcome::Refused(_)));
        assert!(works, "{name}: the codex works on");
        answer.is_err()
    }
}

fn for_each_message(mut check: impl FnMut(&Undisturbed<'_>)) {
    let (codex, ids) = prepared();
    for (name, message) in messages(&ids) {
        check(&Undisturbed::of(name, &message, &codex, call(Tool::Get, &json!({"id": ids[1]}))));
    }
}

#[test]
fn a_turn_that_fails_at_any_step_has_changed_nothing_and_the_next_one_works() {
    for_each_message(|whole| {
        for fault in [Fault::Error, Fault::Panic] {
            let mut failures = 0;
            for step in 0.. {
                let mut reached = false;
                let spoil = |storage: &Sqlite| {
                    let faulty = Faulty::after(storage, fault, step);
                    let answer = guarded(&faulty, whole.message);
                    reached = faulty.has_failed();
                    answer
                };
                failures += usize::from(whole.or_not_at_all(spoil, |_| ()));
                if !reached {
                    break;
                }
            }
            assert!(failures > 2, "{}: faults were met", whole.name);
        }
    });
}

#[test]
fn a_turn_that_finds_the_disk_full_has_changed_nothing_and_works_when_there_is_room() {
    for_each_message(|whole| {
        let mut failures = 0;
        for spare in 0.. {
            let spoil = |storage: &Sqlite| {
                storage.limit_pages(storage.pages() + spare);
                guarded(storage, whole.message)
            };
            if !whole.or_not_at_all(spoil, |storage| storage.limit_pages(1_000_000)) {
                break;
            }
            failures += 1;
        }
        if whole.name == "a fresh save" {
            assert!(failures > 10, "it needs {failures} pages");
        }
    });
}

#[test]
fn a_full_codex_can_still_be_read_and_its_grants_revoked() {
    // Full to the brim: whatever would write finds no room.
    struct Full<'s>(&'s Sqlite);
    impl Storage for Full<'_> {
        fn query(&self, sql: &str, params: &[Param<'_>]) -> Result<Vec<Row>, StorageError> {
            // To record a request that is recorded already writes nothing.
            let known = "SELECT 1 FROM requests WHERE request_id = ?";
            if sql.starts_with("INSERT INTO requests") && !self.0.query(known, &params[..1])?.is_empty() {
                return self.0.query(sql, params);
            }
            let writes = sql.starts_with("INSERT") || sql.starts_with("UPDATE") && !sql.contains("revoked_at");
            if writes { Err(StorageError::new("database or disk is full")) } else { self.0.query(sql, params) }
        }
        fn size(&self) -> Result<i64, StorageError> {
            self.0.size()
        }
        fn transaction<T, E: From<StorageError>>(&self, body: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
            self.0.transaction(body)
        }
    }
    let (codex, ids) = prepared();
    turn(&codex, &call(Tool::Search, &json!({"limit": 1})), START, 1).unwrap();
    let full = Full(&codex);
    let done = |message: &Message| matches!(guarded(&full, message), Ok(Outcome::Result(_)));
    assert!(done(&call(Tool::Get, &json!({"id": ids[0]}))));
    assert!(done(&call(Tool::Search, &json!({"query": "FIRST"}))));
    assert!(done(&call(Tool::Search, &json!({"limit": 1}))));
    assert!(done(&save("a", "first")), "a save that is repeated");
    assert!(done(&Message::RevokeGrant(GrantId::from_bytes(GRANT))));
    assert!(guarded(&full, &create([4; 16])).is_err());
}

#[test]
fn a_codex_that_fails_while_it_is_made_is_made_by_the_next_turn() {
    let clean = Sqlite::new();
    turn(&clean, &create(GRANT), NOW, 77).unwrap();
    let made = clean.dump();
    // The table of migrations is made first, and empty it says the same as none.
    let nothing_made =
        |dump: &[String]| dump.is_empty() || dump.len() == 1 && dump[0].starts_with("migrations: CREATE");
    // Each migration is made whole or not at all: five tables, then two more, then one, then the index with its own four,
    // the view of its texts, two triggers and the table of its backfill.
    let whole = |dump: &[String]| matches!(dump.iter().filter(|row| row.contains(": CREATE")).count(), 5 | 7 | 8 | 17);

    let mut outcomes = 0;
    for fault in [Fault::Error, Fault::Panic] {
        for step in 0.. {
            let storage = Sqlite::new();
            let faulty = Faulty::after(&storage, fault, step);
            let answer = guarded(&faulty, &create(GRANT));
            if !faulty.has_failed() {
                break;
            }
            assert!(answer.is_err());
            let dump = storage.dump();
            assert!(nothing_made(&dump) || whole(&dump) && !dump.iter().any(|row| row.starts_with("grants: id")));
            assert!(guarded(&storage, &create(GRANT)).is_ok());
            assert_eq!(storage.dump(), made);
            outcomes += 1;
        }
    }
    assert!(outcomes >= 18, "{outcomes} steps");
    for pages in 1.. {
        let storage = Sqlite::new();
        storage.limit_pages(pages);
        let answer = guarded(&storage, &create(GRANT));
        let dump = storage.dump();
        storage.limit_pages(1_000_000);
        if answer.is_ok() {
            assert_eq!(dump, made);
            break;
        }
        assert!(nothing_made(&dump) || whole(&dump), "{dump:?}");
        assert!(guarded(&storage, &create(GRANT)).is_ok());
        assert_eq!(storage.dump(), made);
    }
}

#[test]
fn a_step_of_the_backfill_that_fails_has_changed_nothing_and_is_taken_again() {
    let codex = prepared().0;
    codex.run("DELETE FROM trigrams; INSERT INTO backfill VALUES (-1)");
    let whole = codex.copy();
    while index::catch_up(&whole).unwrap() {}
    let query = call(Tool::Search, &json!({"query": "second"}));
    // How many a search examined may differ, as the index does.
    let search = |storage: &Sqlite| match guarded(storage, &query) {
        Ok(Outcome::Result(json)) => serde_json::from_str::<Value>(&json).unwrap()["entries"].take(),
        other => panic!("{other:?}"),
    };
    let found = search(&codex);
    for fault in [Fault::Error, Fault::Panic] {
        for steps in 0.. {
            let storage = codex.copy();
            let faulty = Faulty::after(&storage, fault, steps);
            let mut left = true;
            while left {
                let before = storage.dump();
                match catch_unwind(AssertUnwindSafe(|| index::catch_up(&faulty))) {
                    Ok(Ok(more)) => left = more,
                    _ => assert_eq!(storage.dump(), before, "step {steps}"),
                }
                assert_eq!(search(&storage), found, "step {steps}");
            }
            assert!(!index::is_behind(&storage).unwrap());
            assert_eq!(without_last_use(&storage.dump()), without_last_use(&whole.dump()), "step {steps}");
            if !faulty.has_failed() {
                assert!(steps > 8, "{steps} steps");
                break;
            }
        }
    }
}

#[test]
fn a_cursor_key_that_can_not_be_made_or_replaced_leaves_the_old_cursors_valid() {
    let browse = |cursor: Option<&Value>| {
        let mut arguments = json!({"limit": 1});
        if let Some(cursor) = cursor {
            arguments["cursor"] = cursor.clone();
        }
        call(Tool::Search, &arguments)
    };
    let next = |outcome: Outcome| match outcome {
        Outcome::Result(json) => serde_json::from_str::<Value>(&json).unwrap()["nextCursor"].clone(),
        other => panic!("{other:?}"),
    };
    let codex = prepared().0;
    for step in 0.. {
        let storage = codex.copy();
        let cursor = next(turn(&storage, &browse(None), START, 5).unwrap());
        let later = START + 35 * DAY;
        let faulty = Faulty::after(&storage, Fault::Error, step);
        let answer = turn(&faulty, &browse(None), later, 6);
        assert!(matches!(turn(&storage, &browse(Some(&cursor)), later, 7), Ok(Outcome::Result(_))), "step {step}");
        if !faulty.has_failed() {
            assert!(answer.is_ok());
            break;
        }
    }
}
