#![no_main]

#[path = "../../tests/support/mod.rs"]
mod support;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| support::fuzz::wire(bytes));
