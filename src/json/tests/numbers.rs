//! Numbers: their values, and how exact they are.

use proptest::prelude::*;

use super::read;

fn is_exact(text: &str) -> bool {
    read(text).root().as_number().unwrap().is_exact()
}

fn as_integer(text: &str) -> Option<i64> {
    read(text).root().as_number().unwrap().as_integer()
}

fn as_f64(text: &str) -> f64 {
    read(text).root().as_number().unwrap().as_f64()
}

fn ecmascript(text: &str) -> String {
    read(text).root().as_number().unwrap().ecmascript()
}

#[test]
fn a_number_that_a_double_holds_is_exact() {
    let exact = [
        "0",
        "-0",
        "-0.0",
        "0e999999999",
        "0.000e-99999999999999999999999999",
        "1",
        "-1",
        "0.1",
        "1.50",
        "1e23",
        "1E+23",
        "10e22",
        "100000000000000000000000",
        "0.1e24",
        "99999999999999991611392",
        "9.9999999999999992e22",
        "9007199254740991",
        "9007199254740992",
        "9007199254740994",
        "1152921504606846976",
        "1152921504606846976.000",
        "1.152921504606846976e18",
        "1152921504606847000",
        "12345678901234567000",
        "-12345678901234567168",
        "0.1000000000000000055511151231257827021181583404541015625",
        "0.10000000000000001",
        "0.1000000000000000056",
        "0.30000000000000004",
        "1.7976931348623157e308",
        "5e-324",
        "2.2250738585072014e-308",
        "123456789012345",
        "0.0000000000001",
        "4.9406564584124654e-324",
        "1e0000000000000000000000000000000000000000",
        "1e-0000000000000000000000000000000000000",
        "0.00000000000000000000000000000000000000001e41",
    ];
    for text in exact {
        assert!(is_exact(text), "{text}");
    }
}

#[test]
fn a_number_that_a_double_rounds_is_inexact() {
    let inexact = [
        "9007199254740993",
        "-9007199254740993",
        "9007199254740993.0",
        "9007199254740993e0",
        "12345678901234567890",
        "1152921504606846977",
        "1152921504606846980",
        "1e400",
        "-1e400",
        "1e-400",
        "1e99999999999999999999999999",
        "1e-99999999999999999999999999",
        "2e-324",
        "1.8e308",
        "0.1000000000000000055500",
        "0.10000000000000000000000001",
        "333333333.33333329",
        "0.99999999999999999",
        "3.14159265358979323846",
    ];
    for text in inexact {
        assert!(!is_exact(text), "{text}");
    }
}

#[test]
fn the_exact_value_of_the_longest_double_is_exact() {
    let longest = f64::from_bits(0x000f_ffff_ffff_ffff);
    let text = format!("{longest:.1074}");
    assert!(is_exact(&text));
    assert!(is_exact(&format!("{text}{}", "0".repeat(100_000))));
    assert!(!is_exact(&format!("{text}1")));
    assert!(!is_exact(&format!("{text}{}1", "0".repeat(100_000))));
    assert!(is_exact(&format!("{:.1074}", f64::from_bits(1))));
}

#[test]
fn an_integer_is_recognised_however_it_is_written() {
    let integers = [
        ("0", 0),
        ("-0", 0),
        ("-0.0", 0),
        ("0e999999999999999999999", 0),
        ("1", 1),
        ("-1.0", -1),
        ("1e2", 100),
        ("1200e-2", 12),
        ("0.5e1", 5),
        ("-12.50E+1", -125),
        ("0.00000000000000000000000000001e30", 10),
        ("9007199254740991", 9_007_199_254_740_991),
        ("-9007199254740991.000", -9_007_199_254_740_991),
        ("9.007199254740991e15", 9_007_199_254_740_991),
    ];
    for (text, value) in integers {
        assert_eq!(as_integer(text), Some(value), "{text}");
    }
}

#[test]
fn what_is_fractional_or_too_great_is_no_integer() {
    let others = [
        "0.5",
        "1.5e0",
        "1e-1",
        "-0.1",
        "9007199254740992",
        "-9007199254740992",
        "9007199254740991.1",
        "1e16",
        "1e17",
        "1e400",
        "1e99999999999999999999",
        "1e-99999999999999999999",
        "18446744073709551617",
        "1.00000000000000000000000000000000001",
        "9007199254740990.99999999999999999999",
    ];
    for text in others {
        assert_eq!(as_integer(text), None, "{text}");
    }
}

#[test]
fn an_exponent_may_undo_any_number_of_digits() {
    for zeros in [10, 1_000, 65_530, 65_536, 70_000, 700_000, 1_000_000] {
        let small = format!("0.{}1e{}", "0".repeat(zeros), zeros + 1);
        let great = format!("-1{}e-{zeros}", "0".repeat(zeros));
        let ones = format!("{}e-{zeros}", "1".repeat(zeros));
        assert_eq!((as_f64(&small), as_integer(&small)), (1.0, Some(1)), "{zeros}");
        assert_eq!((as_f64(&great), as_integer(&great)), (-1.0, Some(-1)), "{zeros}");
        assert!(is_exact(&small) && is_exact(&great), "{zeros}");
        assert!((as_f64(&ones) - 1.0 / 9.0).abs() < 1e-10, "{zeros}");
        assert_eq!((is_exact(&ones), as_integer(&ones)), (zeros == 10, None), "{zeros}");
    }
}

#[test]
fn a_zero_of_any_length_is_zero() {
    let zeros = "0".repeat(100_000);
    for text in [format!("0.{zeros}"), format!("-0.{zeros}e{zeros}9"), format!("0e-9{zeros}")] {
        assert!(is_exact(&text));
        assert_eq!((as_f64(&text), as_integer(&text)), (0.0, Some(0)));
        assert_eq!(as_f64(&text).is_sign_negative(), text.starts_with('-'));
    }
}

#[test]
fn a_double_that_overflows_is_infinite() {
    assert_eq!((as_f64("1e400"), as_f64("-1e400"), as_f64("1e-400")), (f64::INFINITY, f64::NEG_INFINITY, 0.0));
    assert_eq!((ecmascript("1e400"), ecmascript("-1e400")), ("Infinity".to_owned(), "-Infinity".to_owned()));
}

/// RFC 8785, Appendix B, without what is no JSON number.
#[test]
fn doubles_are_printed_as_in_the_table_of_rfc_8785() {
    let table = [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ];
    for (bits, printed) in table {
        let double = f64::from_bits(bits);
        assert_eq!(ecmascript(&format!("{double:?}")), printed);
        assert_eq!(ecmascript(&format!("{double:.1074}")), printed);
    }
}

#[test]
fn doubles_are_printed_as_ecmascript_prints_them() {
    let cases = [
        ("1", "1"),
        ("-1.50", "-1.5"),
        ("100", "100"),
        ("123e18", "123000000000000000000"),
        ("123456789012345680000", "123456789012345680000"),
        ("1e21", "1e+21"),
        ("1.5e300", "1.5e+300"),
        ("0.5", "0.5"),
        ("12.25", "12.25"),
        ("1e-6", "0.000001"),
        ("1.25e-6", "0.00000125"),
        ("1e-7", "1e-7"),
        ("1.25e-7", "1.25e-7"),
        ("-0.0", "0"),
        ("1e-400", "0"),
    ];
    for (text, printed) in cases {
        assert_eq!(ecmascript(text), printed, "{text}");
    }
}

/// The double is half-way between both: ECMAScript prints the even one.
#[test]
fn of_two_shortest_forms_that_are_as_near_the_even_one_is_printed() {
    assert_eq!(ecmascript("1424953923781206.25"), "1424953923781206.2");
    assert_eq!(ecmascript("1424953923781206.3"), "1424953923781206.2");
    assert!(is_exact("1424953923781206.2") && is_exact("1424953923781206.25"));
    assert!(!is_exact("1424953923781206.3"));
}

/// The doubles below a power of two are nearer than those above it, so the nearest decimal of as many
/// digits need not read back.
#[test]
fn powers_of_two_are_printed_so_that_they_read_back() {
    for exponent in 1..0x7ff_u64 {
        let double = f64::from_bits(exponent << 52);
        let printed = ecmascript(&format!("{double:e}"));
        assert_eq!(as_f64(&printed).to_bits(), double.to_bits(), "{printed}");
        assert_eq!(digits(&printed), digits(&format!("{double:e}")));
        assert!(is_exact(&printed));
    }
}

fn digits(number: &str) -> usize {
    let mantissa = number.split('e').next().unwrap().replace('.', "");
    mantissa.trim_matches('0').len()
}

proptest! {
    #[test]
    fn what_ecmascript_prints_is_exact_and_reads_back(bits in any::<u64>()) {
        let double = f64::from_bits(bits);
        prop_assume!(double.is_finite());
        let printed = ecmascript(&format!("{double:e}"));
        prop_assert!(as_f64(&printed).total_cmp(&(double + 0.0)).is_eq());
        prop_assert!(is_exact(&printed));
        let others = [format!("{double:.16e}"), format!("{double:.1100}")];
        for text in &others {
            prop_assert!(is_exact(text));
        }
        prop_assert_eq!(ecmascript(&printed), printed);
    }

    #[test]
    fn fifteen_digits_are_always_exact(digits in 0_u64..1_000_000_000_000_000, exponent in -290..290) {
        let text = format!("{digits}e{exponent}");
        prop_assert!(is_exact(&text));
    }

    #[test]
    fn an_integer_is_exact_exactly_if_a_double_holds_it(integer in any::<i128>(), shift in 0..127) {
        let integer: i128 = integer >> shift;
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation)]
        let double = integer as f64;
        let is_shortest = format!("{double}") == integer.to_string();
        let is_in_full = format!("{double:.0}") == integer.to_string();
        prop_assert_eq!(is_exact(&integer.to_string()), is_shortest || is_in_full);
        let is_safe = integer.unsigned_abs() <= 9_007_199_254_740_991;
        prop_assert_eq!(as_integer(&integer.to_string()).map(i128::from), is_safe.then_some(integer));
        prop_assert_eq!(as_integer(&format!("{integer}.000E-0")).map(i128::from), is_safe.then_some(integer));
    }
}
