//! Tests of the module as its callers see it.
#![allow(clippy::arithmetic_side_effects)]

mod canonical;
mod differential;
mod flaws;
mod grammar;
mod hostile;
mod nodes;
mod numbers;
mod strings;

use super::{Document, parse};

/// Parses a text that must be valid.
fn read(text: &str) -> Document<'_> {
    parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text:.200}: {error}"))
}

fn compact(text: &str) -> String {
    let mut out = String::new();
    read(text).root().write_compact(&mut out);
    out
}

fn canonical(text: &str) -> String {
    read(text).root().canonical()
}
