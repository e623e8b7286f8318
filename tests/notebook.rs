//! Save, get, search and update, as the contract states them.

mod support;

use agent_codex::json;
use agent_codex::notebook::arguments::{Call, Search, Tool};
use agent_codex::notebook::limits;
use agent_codex::notebook::quota::Quota;
use serde_json::{Value, json};
use support::random::Random;
use support::{DAY, START, TestCodex};

fn code<T: std::fmt::Debug>(result: Result<T, support::Failed>) -> String {
    result.unwrap_err().code
}

/// Saves `count` entries whose content `content` makes of their number; gives their ids in ascending order.
fn fill(codex: &mut TestCodex, count: usize, content: impl Fn(usize) -> Value) -> Vec<String> {
    let mut ids: Vec<_> = (0..count)
        .map(|number| {
            let saved = codex.save(&format!("fill {number}"), &content(number)).unwrap();
            saved["id"].as_str().unwrap().to_owned()
        })
        .collect();
    ids.sort();
    ids
}

fn ids(entries: &[Value]) -> Vec<String> {
    entries.iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn an_entry_is_returned_as_it_was_sent_with_absent_members_absent() {
    let mut codex = TestCodex::new();
    let input = json!({
        "content": " a\0b 😀 ｶﾞ e\u{301}\n", "title": "\0", "tags": ["B", "a"], "relatedAgentIds": [],
        "provenance": {"z": 1.5, "a": {"b": [null, true, {}]}, "": "\u{7f}\u{2028}\"\\"}
    });
    let saved = codex.save("exact", &input).unwrap();
    for (name, value) in input.as_object().unwrap() {
        assert_eq!(&saved[name], value, "{name}");
    }
    assert_eq!(codex.get(&saved["id"]), Ok(saved.clone()));
    let bare = codex.save("bare", &json!({"content": "x"})).unwrap();
    let members: Vec<_> = bare.as_object().unwrap().keys().collect();
    assert_eq!(members, ["content", "createdAt", "id", "revision", "updatedAt"]);
}

#[test]
fn numbers_keep_the_digits_that_were_sent() {
    let mut codex = TestCodex::new();
    let arguments =
        r#"{"requestId":"n","entry":{"content":"x","provenance":{"a":1.0,"b":1e3,"c":1152921504606846976}}}"#;
    codex.call_text(Tool::Save, arguments).unwrap();
    let document = json::parse(br#"{"limit":1}"#).unwrap();
    let call = Call::parse(Tool::Search, document.root(), document.flaws()).unwrap();
    let text = codex.execute_to_text(&call).unwrap();
    assert!(text.contains(r#""provenance":{"a":1.0,"b":1e3,"c":1152921504606846976}"#), "{text}");
}

#[test]
fn a_retried_save_returns_the_entry_as_it_stands_now() {
    let mut codex = TestCodex::new();
    let input = json!({"content": "retry", "title": "t", "provenance": {"a": 1, "b": 2}});
    let saved = codex.save("retry", &input).unwrap();
    assert_eq!(codex.save("retry", &input), Ok(saved.clone()));
    let updated = codex.update(&saved["id"], 1, &json!({"content": "changed"})).unwrap();
    assert_eq!(codex.save("retry", &input), Ok(updated));
}

#[test]
fn the_order_of_members_is_no_other_input_and_the_order_of_tags_is() {
    let mut codex = TestCodex::new();
    let save = |codex: &mut TestCodex, entry: &str| {
        codex.call_text(Tool::Save, &format!(r#"{{"requestId":"r","entry":{entry}}}"#))
    };
    let saved = save(&mut codex, r#"{"content":"x","tags":["a","b"],"provenance":{"a":1,"b":2}}"#);
    assert_eq!(save(&mut codex, r#"{"provenance":{"b":2.0,"a":1e0},"tags":["a","\u0062"],"content":"\u0078"}"#), saved);
    assert_eq!(code(save(&mut codex, r#"{"content":"x","tags":["b","a"],"provenance":{"a":1,"b":2}}"#)), "conflict");
    assert_eq!(code(save(&mut codex, r#"{"content":"x","tags":["a","b"],"provenance":{"a":1}}"#)), "conflict");
}

#[test]
fn an_update_replaces_the_whole_entry_at_the_expected_revision_alone() {
    let mut codex = TestCodex::new();
    let saved = codex.save("u", &json!({"content": "one", "title": "t", "tags": ["a"]})).unwrap();
    codex.now += 1;
    let updated = codex.update(&saved["id"], 1, &json!({"content": "two"})).unwrap();
    assert_eq!(updated["revision"], 2);
    assert_eq!(updated.get("title"), None);
    assert_eq!(updated["createdAt"], saved["createdAt"]);
    assert_ne!(updated["updatedAt"], saved["updatedAt"]);
    let stale = codex.update(&saved["id"], 1, &json!({"content": "three"})).unwrap_err();
    assert_eq!(stale.code, "conflict");
    assert!(stale.message.contains("revision 2,"), "{}", stale.message);
    assert_eq!(codex.get(&saved["id"]), Ok(updated));
}

#[test]
fn a_clock_that_goes_back_does_not_take_an_entry_with_it() {
    let mut codex = TestCodex::new();
    let saved = codex.save("u", &json!({"content": "one"})).unwrap();
    codex.now -= 1000;
    let updated = codex.update(&saved["id"], 1, &json!({"content": "two"})).unwrap();
    assert_eq!(updated["updatedAt"], saved["updatedAt"]);
}

#[test]
fn two_ids_of_one_key_do_not_meet() {
    let mut codex = TestCodex::new();
    let saved = codex.save("u", &json!({"content": "one"})).unwrap();
    let id = saved["id"].as_str().unwrap();
    // The last digits are not part of the key.
    let other = format!("{}{}", &id[..35], if id.ends_with('0') { '1' } else { '0' });
    assert_eq!(code(codex.get(&json!(other))), "not_found");
    assert_eq!(code(codex.update(&json!(other), 1, &json!({"content": "two"}))), "not_found");
}

#[test]
fn a_taken_key_is_met_with_another_id() {
    let mut codex = TestCodex::new();
    let first = codex.save("a", &json!({"content": "one"})).unwrap();
    codex.repeat_randomness();
    let second = codex.save("b", &json!({"content": "two"})).unwrap();
    assert_ne!(first["id"], second["id"]);
    assert_eq!(codex.search_to_the_end(&json!({})).len(), 2);
}

#[test]
fn browsing_examines_just_what_it_returns_in_the_order_of_ids() {
    for count in [0, 1, 19, 20, 21, 100, 101] {
        let mut codex = TestCodex::new();
        let all = fill(&mut codex, count, |number| json!({"content": format!("note {number}")}));
        let page = codex.search(&json!({})).unwrap();
        let returned = ids(page["entries"].as_array().unwrap());
        assert_eq!(returned, all[..count.min(20)]);
        assert_eq!(page["coverage"]["scanned"], returned.len());
        assert_eq!(page["coverage"]["hasMore"], count > 20);
        assert_eq!(page.get("nextCursor").is_some(), count > 20);
        assert_eq!(ids(&codex.search_to_the_end(&json!({"limit": 7}))), all);
    }
}

#[test]
fn a_filtered_page_examines_at_most_a_hundred_candidates() {
    for (count, scanned, more) in [(0, 0, false), (1, 1, false), (99, 99, false), (100, 100, false), (101, 100, true)] {
        let mut codex = TestCodex::new();
        fill(&mut codex, count, |number| json!({"content": format!("note {number}")}));
        // A query of two characters has no trigram, so every entry is a candidate.
        let page = codex.search(&json!({"query": "zz"})).unwrap();
        assert_eq!(page["entries"], json!([]));
        assert_eq!(page["coverage"]["scanned"], scanned);
        assert_eq!(page["coverage"]["hasMore"], more);
        assert_eq!(page.get("nextCursor").is_some(), more);
    }
}

#[test]
fn a_filtered_page_stops_at_its_limit_and_says_how_many_it_examined() {
    let mut codex = TestCodex::new();
    let all = fill(&mut codex, 60, |_| json!({"content": "same"}));
    for limit in 1..=50 {
        let page = codex.search(&json!({"query": "same", "limit": limit})).unwrap();
        assert_eq!(ids(page["entries"].as_array().unwrap()), all[..limit]);
        assert_eq!(page["coverage"]["scanned"], limit);
        assert_eq!(page["coverage"]["hasMore"], true);
    }
    let page = codex.search(&json!({"query": "zz", "limit": 1})).unwrap();
    assert_eq!(
        page["coverage"],
        json!({
            "storage": "active-only", "mode": "literal-substring-v1", "scanned": 60, "hasMore": false
        })
    );
}

#[test]
fn matches_at_the_first_and_the_last_candidate_are_found() {
    let mut codex = TestCodex::new();
    let all = fill(&mut codex, 250, |number| json!({"content": format!("note {number}")}));
    for position in [0, 99, 100, 199, 200, 249] {
        let id = json!(all[position]);
        let entry = codex.get(&id).unwrap();
        codex.update(&id, 1, &json!({"content": "needle"})).unwrap();
        assert_eq!(ids(&codex.search_to_the_end(&json!({"query": "NEEDLE", "limit": 1}))), [all[position].clone()]);
        codex.update(&id, 2, &json!({"content": entry["content"]})).unwrap();
    }
}

#[test]
fn what_matches_throughout_is_found_once_whatever_changes_between_pages() {
    let mut codex = TestCodex::new();
    let all = fill(&mut codex, 300, |number| json!({"content": format!("keep {number}")}));
    let mut arguments = json!({"query": "keep", "limit": 13});
    let mut found = Vec::new();
    for round in 0.. {
        let page = codex.search(&arguments).unwrap();
        found.extend(ids(page["entries"].as_array().unwrap()));
        let Some(cursor) = page.get("nextCursor") else { break };
        arguments["cursor"] = cursor.clone();
        codex.save(&format!("new {round}"), &json!({"content": "keep, and new"})).unwrap();
        codex.update(&json!(all[round]), 1, &json!({"content": "keep, and changed"})).unwrap();
        codex.update(&json!(all[299 - round]), 1, &json!({"content": "gone"})).unwrap();
    }
    let kept: Vec<_> = found.iter().filter(|id| all.contains(id)).collect();
    let changed_away: Vec<_> = all.iter().filter(|id| codex.get(&json!(id)).unwrap()["content"] == "gone").collect();
    for id in &all {
        let times = kept.iter().filter(|found| **found == id).count();
        assert!(times == 1 || (times == 0 && changed_away.contains(&id)), "{id}: {times}");
    }
}

#[test]
fn every_filter_must_hold_and_tags_and_agents_are_exact() {
    let mut codex = TestCodex::new();
    let entry = json!({
        "content": "x", "title": "launch-title", "tags": ["launch", "a\"b", ","], "relatedAgentIds": ["agent"],
        "provenance": {"source": "elsewhere", "tags": ["hidden"]}
    });
    codex.save("a", &entry).unwrap();
    let mut finds = |arguments: Value| codex.search_to_the_end(&arguments).len() == 1;
    assert!(finds(json!({"query": "LAUNCH-T", "tag": "launch", "relatedAgentId": "agent"})));
    assert!(finds(json!({"tag": "a\"b"})));
    assert!(finds(json!({"tag": ","})));
    assert!(finds(json!({"query": "", "tag": "launch"})));
    for none in ["Launch", "laun", "launch-title", "agent", "elsewhere", "hidden", "\",\""] {
        assert!(!finds(json!({"tag": none})), "{none}");
    }
    assert!(!finds(json!({"relatedAgentId": "launch"})));
    assert!(!finds(json!({"query": "absent", "tag": "launch"})));
    assert!(!finds(json!({"query": "xlaunch"})), "content and title are apart");
    assert!(!finds(json!({"query": "a\"b,"})), "tags are apart");
}

#[test]
fn a_content_whose_folded_form_outgrows_a_row_is_saved_found_and_whole() {
    let mut codex = TestCodex::new();
    let content = format!("{}ﷻ", "\u{fdfa}".repeat(limits::CONTENT_CHARACTERS - 1));
    let saved = codex.save("large", &json!({"content": content, "tags": ["t"]})).unwrap();
    assert_eq!(codex.get(&saved["id"]).unwrap()["content"], content);
    assert_eq!(codex.search_to_the_end(&json!({"query": "\u{fdfb}"})).len(), 1);
    assert_eq!(codex.search_to_the_end(&json!({"query": "T", "tag": "t"})).len(), 1);
    assert_eq!(codex.search_to_the_end(&json!({"query": "absent"})).len(), 0);
}

#[test]
fn a_page_holds_at_most_64_kib_and_always_the_next_entry() {
    let mut codex = TestCodex::new();
    let agents =
        |length: usize| (0..32).map(|number| format!("{number:02}{}", "\0".repeat(length))).collect::<Vec<_>>();
    let all = fill(
        &mut codex,
        30,
        |number| json!({"content": format!("note {number}"), "relatedAgentIds": agents(if number % 5 == 0 { 500 } else { 40 })}),
    );
    for filters in [json!({"limit": 50}), json!({"query": "note", "limit": 50})] {
        let mut arguments = filters.clone();
        let mut found = Vec::new();
        loop {
            let call = parsed(&arguments);
            let text = codex.execute_to_text(&call).unwrap();
            let page: Value = serde_json::from_str(&text).unwrap();
            let entries = page["entries"].as_array().unwrap();
            assert!(text.len() <= limits::PAGE_BYTES || entries.len() == 1, "{} bytes", text.len());
            assert!(page["coverage"]["scanned"].as_u64().unwrap() >= entries.len() as u64);
            found.extend(ids(entries));
            let Some(cursor) = page.get("nextCursor") else { break };
            arguments["cursor"] = cursor.clone();
        }
        assert_eq!(found, all);
    }
}

#[test]
fn a_hundred_candidates_of_the_longest_members_are_examined_at_once() {
    let mut codex = TestCodex::new();
    // What is just short enough to be read with others, and made longest by being written as text.
    let members = |content: String| json!({"content": content, "tags": ["t"], "relatedAgentIds": (0..16).map(|number| format!("{number:02}{}", "\"".repeat(500))).collect::<Vec<_>>()});
    let all = fill(&mut codex, 105, |number| members(format!("needle {number}{}", "\u{1}".repeat(16_000))));
    for filters in [json!({"tag": "t"}), json!({"query": "needle"}), json!({"query": "ne"})] {
        let page = codex.search(&filters).unwrap();
        let found = ids(page["entries"].as_array().unwrap());
        assert!(!found.is_empty() && all.starts_with(&found), "{filters}");
    }
    let page = codex.search(&json!({"tag": "t", "query": "nowhere at all"})).unwrap();
    assert_eq!(page["entries"], json!([]));
}

fn parsed(arguments: &Value) -> Call {
    let text = arguments.to_string();
    let document = json::parse(text.as_bytes()).unwrap();
    Call::parse(Tool::Search, document.root(), document.flaws()).unwrap()
}

#[test]
fn a_cursor_is_bound_to_its_filters_but_not_to_the_limit() {
    let mut codex = TestCodex::new();
    fill(&mut codex, 30, |_| json!({"content": "Straße", "tags": ["t"], "relatedAgentIds": ["r"]}));
    let filters = json!({"query": "strasse", "tag": "t", "relatedAgentId": "r", "limit": 5});
    let cursor = codex.search(&filters).unwrap()["nextCursor"].clone();
    let with = |changes: Value| {
        let mut arguments = filters.clone();
        arguments["cursor"] = cursor.clone();
        for (name, value) in changes.as_object().unwrap() {
            if value.is_null() {
                arguments.as_object_mut().unwrap().remove(name);
            } else {
                arguments[name] = value.clone();
            }
        }
        arguments
    };
    for same in [json!({}), json!({"limit": 50}), json!({"query": "STRASSE"}), json!({"query": "straße"})] {
        codex.search(&with(same)).unwrap();
    }
    for other in [
        json!({"query": "strass"}),
        json!({"query": null}),
        json!({"query": ""}),
        json!({"tag": "T"}),
        json!({"tag": null}),
        json!({"relatedAgentId": "x"}),
        json!({"relatedAgentId": null}),
        json!({"tag": "r", "relatedAgentId": "t"}),
    ] {
        assert_eq!(code(codex.search(&with(other.clone()))), "invalid_cursor", "{other}");
    }
    let browsing = codex.search(&json!({"limit": 5})).unwrap()["nextCursor"].clone();
    codex.search(&json!({"cursor": browsing, "query": ""})).unwrap();
}

#[test]
fn a_cursor_of_another_codex_or_with_any_bit_changed_is_invalid() {
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    let mut codex = TestCodex::seeded(1);
    let mut other = TestCodex::seeded(2);
    fill(&mut codex, 30, |_| json!({"content": "x"}));
    fill(&mut other, 30, |_| json!({"content": "x"}));
    let cursor = codex.search(&json!({})).unwrap()["nextCursor"].as_str().unwrap().to_owned();
    other.search(&json!({})).unwrap();
    assert_eq!(code(other.search(&json!({"cursor": cursor}))), "invalid_cursor");
    let bytes = URL_SAFE_NO_PAD.decode(&cursor).unwrap();
    for bit in 0..bytes.len() * 8 {
        let mut changed = bytes.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        assert_eq!(
            code(codex.search(&json!({"cursor": URL_SAFE_NO_PAD.encode(changed)}))),
            "invalid_cursor",
            "bit {bit}"
        );
    }
    for length in 0..bytes.len() {
        assert_eq!(code(codex.search(&json!({"cursor": URL_SAFE_NO_PAD.encode(&bytes[..length])}))), "invalid_cursor");
    }
    for garbage in [String::new(), "!".to_owned(), format!("{cursor}="), format!("{cursor}AA"), format!("{cursor}\n")] {
        assert_eq!(code(codex.search(&json!({"cursor": garbage}))), "invalid_cursor", "{garbage:?}");
    }
    codex.search(&json!({"cursor": cursor})).unwrap();
}

#[test]
fn cursors_outlive_the_rotation_of_their_key_by_a_day_at_least() {
    let mut codex = TestCodex::new();
    fill(&mut codex, 60, |_| json!({"content": "x"}));
    let old = codex.search(&json!({})).unwrap()["nextCursor"].clone();
    codex.now = START + 30 * DAY;
    let new = codex.search(&json!({})).unwrap()["nextCursor"].clone();
    assert_ne!(old, new, "another key signs");
    codex.now += DAY;
    codex.search(&json!({"cursor": old})).unwrap();
    codex.now += 29 * DAY;
    codex.search(&json!({})).unwrap();
    assert_eq!(code(codex.search(&json!({"cursor": old}))), "invalid_cursor");
    codex.search(&json!({"cursor": new})).unwrap();
}

#[test]
fn a_cursor_of_a_version_to_come_is_invalid_even_if_signed_with_the_right_key() {
    use agent_codex::notebook::storage::Storage as _;
    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use hmac::Mac as _;
    let mut codex = TestCodex::new();
    fill(&mut codex, 30, |_| json!({"content": "x"}));
    let cursor = codex.search(&json!({})).unwrap()["nextCursor"].as_str().unwrap().to_owned();
    let secret = codex.storage.query("SELECT secret FROM cursor_keys", &[]).unwrap().pop().unwrap().blob().unwrap();
    let mut signed = |version: u8| {
        let mut bytes = URL_SAFE_NO_PAD.decode(&cursor).unwrap()[..13].to_vec();
        bytes[0] = version;
        let mut mac = agent_codex::mac::mac(&secret.clone().try_into().unwrap(), b"agent-codex cursor");
        mac.update(&bytes);
        for filter in [0, u64::MAX, u64::MAX] {
            mac.update(&filter.to_be_bytes());
        }
        bytes.extend(&mac.finalize().into_bytes()[..16]);
        let cursor = URL_SAFE_NO_PAD.encode(bytes);
        (codex.search(&json!({"cursor": cursor})).map(|_| ()), cursor)
    };
    assert_eq!(signed(1), (Ok(()), cursor.clone()), "the bytes of a cursor are those of version 1");
    assert_eq!(code(signed(2).0), "invalid_cursor");
    assert_eq!(code(signed(0).0), "invalid_cursor");
}

#[test]
fn ten_thousand_candidates_of_a_query_too_short_for_the_index_are_a_hundred_pages() {
    let mut codex = TestCodex::new();
    let all = fill(&mut codex, 10_000, |number| json!({"content": if number % 1_000 == 7 { "qz" } else { "hay" }}));
    let mut arguments = json!({"query": "qz", "limit": 50});
    let (mut pages, mut scanned, mut found) = (0, 0, Vec::new());
    loop {
        let page = codex.search(&arguments).unwrap();
        pages += 1;
        scanned += page["coverage"]["scanned"].as_u64().unwrap();
        found.extend(ids(page["entries"].as_array().unwrap()));
        let Some(cursor) = page.get("nextCursor") else { break };
        arguments["cursor"] = cursor.clone();
    }
    assert_eq!((pages, scanned, found.len()), (100, 10_000, 10));
    assert!(found.is_sorted() && found.iter().all(|id| all.contains(id)));
}

#[test]
fn a_search_without_arguments_browses() {
    let mut codex = TestCodex::new();
    fill(&mut codex, 3, |_| json!({"content": "x"}));
    let Call::Search(search) = parsed(&json!({})) else { panic!("a search") };
    assert_eq!(search, Search { limit: 20, ..Search::default() });
    assert_eq!(codex.search_to_the_end(&json!({})).len(), 3);
}

#[test]
fn a_codex_at_its_quota_takes_no_more_and_is_read_repeats_and_shrinks_as_ever() {
    let mut codex = TestCodex::new();
    codex.quota = Quota::parse("1").unwrap();
    let content = |length: usize| "x".repeat(length);
    let mut saved = Vec::new();
    let full = loop {
        let request = saved.len().to_string();
        match codex.save(&request, &json!({"content": content(30_000)})) {
            Ok(entry) => saved.push(entry),
            Err(failed) => break failed,
        }
    };
    assert_eq!(full.code, "limit_exceeded");
    assert!((5..40).contains(&saved.len()), "{} entries fit", saved.len());
    let dump = codex.storage.dump();
    assert!(codex.save("another", &json!({"content": content(30_000)})).is_err());
    assert_eq!(codex.storage.dump(), dump, "nothing has changed");

    assert_eq!(codex.save("0", &json!({"content": content(30_000)})).unwrap(), saved[0], "a save is repeated");
    assert!(codex.get(&saved[0]["id"]).is_ok() && codex.search(&json!({"query": "xxx"})).is_ok());
    let mut update = |entry: &Value, length: usize| codex.update(&entry["id"], 1, &json!({"content": content(length)}));
    assert_eq!(update(&saved[0], 65_536).unwrap_err().code, "limit_exceeded");
    assert_eq!(update(&saved[0], 10).unwrap()["revision"], 2);
    for entry in &saved[1..4] {
        update(entry, 10).unwrap();
    }
    assert!(codex.save("another", &json!({"content": content(30_000)})).is_ok(), "there is room again");
}

#[test]
fn a_full_codex_takes_every_entry_that_is_no_larger_than_the_one_it_replaces() {
    let mut codex = TestCodex::new();
    codex.quota = Quota::parse("1").unwrap();
    let mut random = Random(7);
    let mut text = |characters: usize| -> String {
        (0..characters)
            .map(|_| char::from_u32(0x4e00 + u32::try_from(random.below(20_000)).unwrap()).unwrap())
            .collect()
    };
    let mut ids = Vec::new();
    while let Ok(entry) = codex.save(&ids.len().to_string(), &json!({"content": text(300)})) {
        ids.push(entry["id"].clone());
    }
    assert!(ids.len() > 30, "{} entries fit", ids.len());
    for revision in 1..20 {
        for id in &ids {
            codex.update(id, revision, &json!({"content": text(300)})).unwrap();
        }
    }
    assert_eq!(codex.update(&ids[0], 20, &json!({"content": text(65_000)})).unwrap_err().code, "limit_exceeded");
}

#[test]
fn a_quota_is_from_one_to_nine_thousand_mebibytes() {
    assert_eq!(Quota::parse("1024"), Some(Quota::default()));
    for bad in ["", "0", "-1", "9001", "1.5", "1 GiB", "99999999999999999999"] {
        assert_eq!(Quota::parse(bad), None, "{bad}");
    }
}

#[test]
fn another_codexs_entry_is_looked_for_as_a_missing_one_is() {
    let id = TestCodex::seeded(2).save("theirs", &json!({"content": "theirs"})).unwrap()["id"].clone();
    let mut codex = TestCodex::new();
    codex.save("own", &json!({"content": "own"})).unwrap();
    let mut statements = |id: &Value| {
        *codex.storage.log.borrow_mut() = Some(Vec::new());
        let answers = [code(codex.get(id)), code(codex.update(id, 1, &json!({"content": "x"})))];
        assert_eq!(answers, ["not_found", "not_found"]);
        codex.storage.log.borrow_mut().take()
    };
    assert_eq!(statements(&id), statements(&json!("11111111-1111-4111-8111-111111111111")));
}

#[test]
fn the_largest_entry_is_saved_found_and_replaced_whole() {
    // As many bytes as an entry input may have: characters of four bytes, and a provenance.
    let content = "𝄞".repeat(62_000);
    let frame = json!({"content": content, "provenance": {"p": ""}}).to_string().len();
    let entry = json!({"content": content, "provenance": {"p": "x".repeat(limits::ENTRY_BYTES - frame)}});
    assert_eq!(entry.to_string().len(), limits::ENTRY_BYTES);
    let mut codex = TestCodex::new();
    let saved = codex.save("largest", &entry).unwrap();
    assert_eq!((&saved["content"], &saved["provenance"]), (&entry["content"], &entry["provenance"]));
    assert_eq!(codex.save("largest", &entry).unwrap(), saved);
    assert_eq!(codex.get(&saved["id"]).unwrap()["content"], entry["content"]);
    assert_eq!(codex.search(&json!({"query": "𝄞".repeat(256)})).unwrap()["entries"][0]["id"], saved["id"]);
    assert_eq!(codex.update(&saved["id"], 1, &entry).unwrap()["revision"], 2);
}
