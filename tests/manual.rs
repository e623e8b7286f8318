//! What is written for people and hosts is what the server does: `docs/tools.md` is up to date, and its examples hold.

#[path = "../examples/schemas/page.rs"]
#[allow(dead_code)]
mod page;
mod support;

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
