//! Numbers: what a decimal text denotes, and what an IEEE double makes of it.
//!
//! All questions about exactness are answered on [`Decimal`]s, the digits and the scale of a text, which
//! two texts share exactly if they denote the same value. A text's digits are kept whole, so nothing is
//! rounded before it is compared; the scale saturates, which only scales that no double has can reach.

use super::decimal::Decimal;

/// No double has more significant digits than this (the greatest subnormal number has as many).
const MOST_DIGITS: usize = 767;

/// The greatest integer up to which a double holds all integers: 2^53 - 1.
const MAX_SAFE_INTEGER: i64 = 9_007_199_254_740_991;

/// A number of a document, by its text.
#[derive(Clone, Copy, Debug)]
pub struct Number<'d> {
    source: &'d str,
}

impl<'d> Number<'d> {
    /// Takes a text that the scanner has accepted.
    pub(super) fn new(source: &'d str) -> Self {
        Self { source }
    }

    /// The text, as sent.
    #[must_use]
    pub fn source(&self) -> &'d str {
        self.source
    }

    /// The nearest double: infinite if the number is too great, zero if it is too small.
    #[must_use]
    pub fn as_f64(&self) -> f64 {
        // In texts of more than 650 kB, the standard library misplaces the point: it stops reading
        // exponents before they can reach across as many digits. A decimal's scale is right.
        if self.source.len() < 0x10000 {
            self.source.parse().unwrap_or(f64::NAN)
        } else {
            Decimal::read(self.source).to_string().parse().unwrap_or(f64::NAN)
        }
    }

    /// The value, if it is an integer from -(2^53 - 1) to 2^53 - 1, however it is written: `1.0`, `1e2` and
    /// `-0` are integers. It is read from the decimal text, so it is never rounded.
    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        // Most are written without a point and an exponent.
        if let Ok(integer) = self.source.parse::<i64>() {
            return (integer.unsigned_abs() <= MAX_SAFE_INTEGER.unsigned_abs()).then_some(integer);
        }
        let magnitude = Decimal::read(self.source).as_integer()?;
        let is_negative = self.source.starts_with('-');
        (magnitude <= MAX_SAFE_INTEGER).then(|| if is_negative { magnitude.wrapping_neg() } else { magnitude })
    }

    /// Whether a double holds this number: reading the text as a double and printing that, either in the
    /// shortest form that reads back as it or with as many significant digits as the text has, denotes the
    /// same decimal value as the text.
    ///
    /// So `0.1` and `1e23` are exact, and so is 2^60 in full, but 2^53 + 1 is not, and neither are numbers
    /// that overflow, or that underflow to zero.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        // A double holds any 15 digits: two decimals of so few digits never share a double unless it is
        // subnormal, which needs an exponent or more text.
        if self.source.len() <= 15 && !self.source.contains(['e', 'E']) {
            return true;
        }
        let decimal = Decimal::read(self.source);
        let double = self.as_f64();
        if !double.is_finite() || decimal.digits().len() > MOST_DIGITS {
            return false;
        }
        let precision = decimal.written_digits().clamp(1, MOST_DIGITS).saturating_sub(1);
        decimal.is_value_of(&shortest(double)) || decimal.is_value_of(&format!("{double:.precision$e}"))
    }

    /// The double as ECMAScript prints it (ECMA-262, `Number::toString`), which is also how RFC 8785
    /// (section 3.2.2.3) does; `Infinity` or `-Infinity` if the number is too great for a double.
    #[must_use]
    pub fn ecmascript(&self) -> String {
        let double = self.as_f64();
        if double.is_infinite() {
            return if double > 0.0 { "Infinity" } else { "-Infinity" }.to_owned();
        }
        Decimal::read(&shortest(double)).to_ecmascript()
    }
}

/// The shortest decimal that reads back as the double, and of these the nearest, and of these the even one.
///
/// The standard library's shortest form does not prefer the even one. Printing as many digits as it has
/// does, and gives the nearest of all decimals of so many digits; that one reads back too, except perhaps
/// at a power of two, below which doubles are closer together than above.
fn shortest(double: f64) -> String {
    let shortest = format!("{double:e}");
    let precision = Decimal::read(&shortest).digits().len().saturating_sub(1);
    let nearest = format!("{double:.precision$e}");
    let reads_back = nearest.parse::<f64>().is_ok_and(|read| read.to_bits() == double.to_bits());
    if reads_back { nearest } else { shortest }
}
