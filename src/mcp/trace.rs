//! Trace context: the `traceparent` that a client puts into `_meta` (MCP 2025-11-25 and 2026-07-28, "General fields"), so
//! that a line of this server's log can be found from the client's trace. Nothing else is done with it.

use serde::{Deserialize, Serialize};

use super::era;
use crate::json::Node;

/// The value of a `traceparent` of version 00 (W3C Trace Context, section 3.2): lower-case hexadecimal and dashes alone, so
/// it can be written to a log as it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace(String);

impl Trace {
    /// The trace that a request belongs to, if its parameters name one.
    #[must_use]
    pub fn of(params: Option<Node<'_>>) -> Option<Self> {
        Self::parse(&era::meta(params)?.member("traceparent")?.as_str()?)
    }

    fn parse(value: &str) -> Option<Self> {
        let fields: Vec<_> = value.split('-').collect();
        let is_hexadecimal = |field: &str| field.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let well_formed = matches!(fields.as_slice(), ["00", trace, parent, flags]
            if trace.len() == 32 && parent.len() == 16 && flags.len() == 2
                && [trace, parent, flags].iter().all(|field| is_hexadecimal(field)));
        well_formed.then(|| Self(value.to_owned()))
    }

    /// What a line of the log says of the trace of a request; nothing for a request without one.
    #[must_use]
    pub fn log_suffix(trace: Option<&Self>) -> String {
        trace.map_or_else(String::new, |trace| format!(" [traceparent {}]", trace.0))
    }
}

#[cfg(test)]
mod tests {
    use super::Trace;

    const GOOD: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

    #[test]
    fn a_traceparent_is_taken_only_in_its_exact_form() {
        assert_eq!(Trace::parse(GOOD), Some(Trace(GOOD.to_owned())));
        let upper = GOOD.to_uppercase();
        let (longer, newline, other) = (format!("{GOOD}-00"), GOOD.replace("af", "a\n"), GOOD.replacen("00", "ff", 1));
        for bad in ["", "00", &GOOD[1..], &upper, &longer, &newline, &other, &GOOD.replace('7', "ä")] {
            assert_eq!(Trace::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_log_line_names_the_trace_if_there_is_one() {
        assert_eq!(Trace::log_suffix(None), "");
        assert_eq!(Trace::log_suffix(Trace::parse(GOOD).as_ref()), format!(" [traceparent {GOOD}]"));
    }
}
