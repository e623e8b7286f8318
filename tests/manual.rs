//! What is written for people and hosts is what the server does: `docs/tools.md` is up to date, and its examples hold.

#[path = "../examples/schemas/page.rs"]
#[allow(dead_code)]
mod page;
mod support;

use std::fs::read_to_string;
use std::path::Path;

use agent_codex::mcp::listing::{INSTRUCTIONS, file};
use agent_codex::notebook::arguments::Tool;
use serde_json::Value;
use support::TestCodex;

#[test]
fn the_page_about_the_tools_is_that_of_the_constants() {
    assert_eq!(include_str!("../docs/tools.md"), page::page(), "run `make schemas`");
}

#[test]
fn the_listing_in_the_repository_is_that_of_the_constants() {
    assert_eq!(include_str!("../mcp-tools.json"), file() + "\n", "run `make schemas`");
}

#[test]
fn the_examples_of_the_page_are_valid_and_fit_the_schemas() {
    let listing: Value = serde_json::from_str(include_str!("../mcp-tools.json")).unwrap();
    let page = include_str!("../docs/tools.md");
    for (tool, listed) in Tool::ALL.into_iter().zip(listing["tools"].as_array().unwrap()) {
        let section = page.split(&format!("## `{}`", tool.name())).nth(1).unwrap();
        let mut blocks = section.split("```json\n").skip(1).map(|block| block.split("\n```").next().unwrap());
        for schema in ["inputSchema", "outputSchema"] {
            let example: Value = serde_json::from_str(blocks.next().unwrap()).unwrap();
            let validator = jsonschema::draft7::new(&listed[schema]).unwrap();
            assert!(validator.is_valid(&example), "{} {schema}: {example}", tool.name());
        }
    }
}

#[test]
fn every_code_of_a_failure_is_on_the_page_and_its_example_is_what_the_server_says() {
    let message = TestCodex::new()
        .call_text(
            Tool::Save,
            &format!(r#"{{"requestId":"r","entry":{{"content":"x","title":"{}"}}}}"#, "x".repeat(257)),
        )
        .unwrap_err()
        .message;
    assert!(page::FAILURES.contains(&message));
    for code in ["invalid_input", "not_found", "conflict", "invalid_cursor", "internal"] {
        assert!(page::FAILURES.contains(&format!("| `{code}` |")), "{code}");
    }
}

#[test]
fn the_instructions_stand_alone_in_their_first_512_characters() {
    let first: String = INSTRUCTIONS.chars().take(512).collect();
    assert!(first == INSTRUCTIONS || first.trim_end().ends_with('.'), "the cut is within a sentence: {first}");
}

/// The tables of `docs/protocol.md` and the like: every row ends with the tests that hold it, or with a dash and a reason.
#[test]
fn every_requirement_in_the_tables_names_tests_that_exist_or_a_reason() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut named = 0;
    for page in [include_str!("../docs/protocol.md"), include_str!("../docs/authorization.md")] {
        for reference in page.split('`').skip(1).step_by(2).filter(|span| span.contains('#')) {
            let (file, name) = reference.split_once('#').unwrap();
            let text = read_to_string(tests.join(file)).unwrap_or_else(|error| panic!("{reference}: {error}"));
            let name = if file.contains(".rs") { format!("fn {name}(") } else { name.to_owned() };
            assert!(text.contains(&name), "there is no such test: {reference}");
            named += 1;
        }
        let rows = page.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
        for row in rows.filter(|row| !row.ends_with("| Held by |")) {
            let held_by = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
            let reason = held_by.strip_prefix("— ").is_some_and(|reason| reason.len() > 15);
            assert!(reason || held_by.contains('#') || held_by == "the exchange check", "nothing holds: {row}");
        }
    }
    assert!(named > 50);
}
