//! Decimal numbers in a normal form, so that equal values have equal digits and scales.
//!
//! A decimal takes at most as much memory as its text, whatever its exponent says: zeros that the exponent
//! implies are written out only by functions that have bounded the scale first.

use std::fmt;

/// The number 0.DIGITS × 10^SCALE, where the digits neither begin nor end with a zero; zero has no digits
/// and a scale of 0.
pub(super) struct Decimal {
    is_negative: bool,
    digits: String,
    scale: i64,
    written_digits: usize,
}

impl Decimal {
    /// Reads a number of the grammar of RFC 8259 (section 6), in time linear in its length. A scale beyond
    /// an `i64` saturates, give or take the length of the text.
    pub(super) fn read(text: &str) -> Self {
        let magnitude = text.strip_prefix('-').unwrap_or(text);
        let (mantissa, exponent) = magnitude.split_once(['e', 'E']).unwrap_or((magnitude, ""));
        let (integer, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = [integer, fraction].concat();
        let written = all.trim_start_matches('0');
        let leading_zeros = length(&all).saturating_sub(length(written));
        let digits = written.trim_end_matches('0').to_owned();
        let scale = if digits.is_empty() {
            0
        } else {
            read_exponent(exponent).saturating_add(length(integer)).saturating_sub(leading_zeros)
        };
        Self { is_negative: text.starts_with('-'), digits, scale, written_digits: written.len() }
    }

    /// The significant digits: none if this is zero.
    pub(super) fn digits(&self) -> &str {
        &self.digits
    }

    /// How many significant digits the text had, with its zeros at the end.
    pub(super) fn written_digits(&self) -> usize {
        self.written_digits
    }

    /// Whether another text denotes the same value. (Both zeros are the same value.)
    pub(super) fn is_value_of(&self, text: &str) -> bool {
        let other = Self::read(text);
        let has_same_sign = self.is_negative == other.is_negative || self.digits.is_empty();
        has_same_sign && self.digits == other.digits && self.scale == other.scale
    }

    /// The magnitude, if it is an integer of at most 16 digits.
    pub(super) fn as_integer(&self) -> Option<i64> {
        if self.digits.is_empty() {
            return Some(0);
        }
        if !(length(&self.digits)..=16).contains(&self.scale) {
            return None;
        }
        self.integer_part().parse().ok()
    }

    /// Prints the number as ECMA-262's `Number::toString` does with a double of these shortest digits. The
    /// scale must be that of a double.
    pub(super) fn to_ecmascript(&self) -> String {
        if self.digits.is_empty() {
            return "0".to_owned();
        }
        let sign = if self.is_negative { "-" } else { "" };
        let count = length(&self.digits);
        match self.scale {
            scale @ 1..=21 if scale >= count => format!("{sign}{}", self.integer_part()),
            scale @ 1..=21 => {
                let (integer, fraction) = self.split_digits(scale);
                format!("{sign}{integer}.{fraction}")
            }
            scale @ -5..=0 => {
                let zeros = usize::try_from(scale.unsigned_abs()).unwrap_or(0);
                format!("{sign}0.{}{}", "0".repeat(zeros), self.digits)
            }
            scale => {
                let (first, others) = self.split_digits(1);
                let point = if others.is_empty() { "" } else { "." };
                format!("{sign}{first}{point}{others}e{:+}", scale.saturating_sub(1))
            }
        }
    }

    fn split_digits(&self, at: i64) -> (&str, &str) {
        let parts = usize::try_from(at).ok().and_then(|at| self.digits.split_at_checked(at));
        parts.unwrap_or((&self.digits, ""))
    }

    /// The digits before the point, of an integer whose scale the caller has bounded.
    fn integer_part(&self) -> String {
        let width = usize::try_from(self.scale).unwrap_or(0);
        format!("{:0<width$}", self.digits)
    }
}

impl fmt::Display for Decimal {
    /// Writes the number in scientific notation, with the point before its first digit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.is_negative { "-" } else { "" };
        write!(f, "{sign}0.{}e{}", self.digits, self.scale)
    }
}

fn length(text: &str) -> i64 {
    i64::try_from(text.len()).unwrap_or(i64::MAX)
}

/// Reads an exponent: an optional sign and digits, or nothing, which is 0.
fn read_exponent(text: &str) -> i64 {
    let magnitude = text.trim_start_matches(['+', '-']).bytes().fold(0_i64, |exponent, digit| {
        exponent.saturating_mul(10).saturating_add(i64::from(digit.saturating_sub(b'0')))
    });
    if text.starts_with('-') { magnitude.wrapping_neg() } else { magnitude }
}
