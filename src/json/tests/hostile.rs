//! Input that is made to hurt: a mebibyte at a time, on a small stack, against the clock.
//!
//! The clock is generous, since debug builds on a shared machine are slow; still, anything quadratic in a
//! mebibyte would take hours.

use std::thread;
use std::time::{Duration, Instant};

use super::{compact, read};
use crate::json::parse;

const MEBIBYTE: usize = 1 << 20;

/// Runs a test in a thread with a stack of 256 KiB, in at most 20 seconds.
fn within_limits(test: impl FnOnce() + Send + 'static) {
    let start = Instant::now();
    thread::Builder::new().stack_size(256 << 10).spawn(test).unwrap().join().unwrap();
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

/// Does all that can be done with a document.
fn exercise(text: &str) {
    let document = read(text);
    let root = document.root();
    assert!(root.depth() <= root.count() + 1);
    for flaw in document.flaws().iter().take(2).chain(document.flaws().last()) {
        assert!(root.holds(flaw));
        assert!(root.pointer_to(flaw).is_some());
    }
    let compact = compact(text);
    assert_eq!(read(&compact).root().count(), root.count());
    assert!(!root.canonical().is_empty());
    assert!(root.member("absent").is_none());
    drop(document);
}

#[test]
fn a_mebibyte_of_opening_brackets_is_an_error() {
    within_limits(|| {
        assert_eq!(parse("[".repeat(MEBIBYTE).as_bytes()).unwrap_err().offset, MEBIBYTE);
        let objects = "{\"\":".repeat(MEBIBYTE / 4);
        assert_eq!(parse(objects.as_bytes()).unwrap_err().offset, MEBIBYTE);
    });
}

#[test]
fn half_a_million_nested_arrays_do_not_overflow_the_stack() {
    within_limits(|| {
        let depth = MEBIBYTE / 2;
        let text = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(read(&text).root().depth(), depth);
        exercise(&text);
    });
}

#[test]
fn nested_objects_with_a_flaw_at_the_bottom_do_not_overflow_the_stack() {
    within_limits(|| {
        let depth = MEBIBYTE / 5;
        let text = format!("{}1e400{}", "{\"\":".repeat(depth), "}".repeat(depth));
        let document = read(&text);
        let pointer = document.root().pointer_to(&document.flaws()[0]).unwrap();
        assert_eq!(pointer, "/".repeat(depth));
        exercise(&text);
    });
}

#[test]
fn wide_containers_take_linear_time() {
    within_limits(|| {
        exercise(&format!("[{}1]", "1,".repeat(MEBIBYTE / 2)));
        exercise(&format!("{{{}\"\":0}}", "\"\":0,".repeat(MEBIBYTE / 5)));
        exercise(&format!("[{}0]", "{},[],".repeat(MEBIBYTE / 6)));
    });
}

#[test]
fn long_strings_take_linear_time() {
    within_limits(|| {
        exercise(&format!("\"{}\"", "\\n".repeat(MEBIBYTE / 2)));
        exercise(&format!("\"{}\"", "\\ud800".repeat(MEBIBYTE / 6)));
        exercise(&format!("\"{}\"", ",[{".repeat(MEBIBYTE / 3)));
        exercise(&format!("{{\"{}\":\"\"}}", "\\u0000~/".repeat(MEBIBYTE / 8)));
    });
}

#[test]
fn long_numbers_take_linear_time() {
    within_limits(|| {
        exercise(&"7".repeat(MEBIBYTE));
        exercise(&format!("-0.{}7e-{}", "0".repeat(MEBIBYTE / 2), "9".repeat(MEBIBYTE / 2)));
        exercise(&format!("1e{}", "9".repeat(MEBIBYTE)));
    });
}

/// Each of these is half-way between two doubles but for its last digits, which reading has to consider.
#[test]
fn many_numbers_that_are_hard_to_read_take_bounded_time() {
    within_limits(|| {
        let half_way = format!("{:.60e}", f64::from_bits(3) / 2.0).replace("e-", "0000001e-");
        exercise(&format!("[{}0]", format!("{half_way},").repeat(MEBIBYTE / half_way.len())));
        let hard = "9007199254740993.00000000000000000000001,";
        exercise(&format!("[{}0]", hard.repeat(MEBIBYTE / hard.len())));
    });
}

#[test]
fn names_that_differ_only_at_the_end_are_sorted_in_time() {
    within_limits(|| {
        let prefix = "a".repeat(1000);
        let members: Vec<_> = (0..1000).map(|n| format!("\"{prefix}{n}\":{n}")).collect();
        let text = format!("{{{},\"{prefix}7\":0}}", members.join(","));
        assert_eq!(read(&text).flaws().len(), 1);
        exercise(&text);
    });
}
