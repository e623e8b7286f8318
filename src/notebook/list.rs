//! Many rows as one text, written by SQL: a Durable Object takes longer to hand over a row than SQLite to find it, and JSON
//! longer to write and to read than what it holds.
//!
//! A row is its values and `;`. A value is an integer and `i`, the number of its UTF-8 bytes, `:` and a text, or `n` for NULL.
//! A text is found by its length, so it may hold anything. SQL promises no order of what it gathers, so a list's first column is
//! an integer, by which its rows are put in order.

use super::storage::{Row, StorageError, Value, place};

/// Bytes of a text of any length that may be part of a list: a value of SQLite's has at most 2 MB.
pub const LISTED_BYTES: u16 = 16_384;

/// The SQL of a list: `list_of![integer "key", text "title"]` gathers these columns of all rows.
macro_rules! list_of {
    ($($kind:ident $column:literal),+) => {
        concat!("group_concat(", $($crate::notebook::list::value_of!($kind $column), " || ",)+ "';', '')")
    };
}

/// The SQL of one value of a list.
macro_rules! value_of {
    (integer $column:literal) => {
        concat!("ifnull(", $column, " || 'i', 'n')")
    };
    (text $column:literal) => {
        concat!("ifnull(octet_length(", $column, ") || ':' || ", $column, ", 'n')")
    };
}

pub(super) use {list_of, value_of};

/// The rows of a list, in the order of their first column.
///
/// # Errors
/// When it is none.
pub fn rows(list: &[u8]) -> Result<Vec<Row>, StorageError> {
    let mut rows = Vec::new();
    let mut values = Vec::new();
    let mut rest = list;
    while let [first, after @ ..] = rest {
        if *first == b';' {
            let columns = values.len();
            rows.push(Row::new(std::mem::replace(&mut values, Vec::with_capacity(columns))));
            rest = after;
        } else {
            let value;
            (value, rest) = first_value(rest).ok_or_else(|| StorageError::new("a list of rows is malformed"))?;
            values.push(value);
        }
    }
    if !values.is_empty() {
        return Err(StorageError::new("a list of rows ends within one"));
    }
    rows.sort_by_key(place);
    Ok(rows)
}

/// The value that a text begins with, and what stands after it.
fn first_value(list: &[u8]) -> Option<(Value, &[u8])> {
    if let Some(rest) = list.strip_prefix(b"n") {
        return Some((Value::Null, rest));
    }
    let digits = list.iter().position(|byte| !matches!(byte, b'-' | b'0'..=b'9'))?;
    let (number, rest) = list.split_at_checked(digits)?;
    let number: i64 = std::str::from_utf8(number).ok()?.parse().ok()?;
    match rest {
        [b'i', rest @ ..] => Some((Value::Integer(number), rest)),
        [b':', rest @ ..] => {
            let (text, rest) = rest.split_at_checked(usize::try_from(number).ok()?)?;
            Some((Value::Text(String::from_utf8(text.to_vec()).ok()?), rest))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(list: &str) -> Option<Vec<String>> {
        rows(list.as_bytes()).ok().map(|rows| rows.iter().map(|row| format!("{row:?}")).collect())
    }

    #[test]
    fn a_list_holds_integers_texts_of_any_characters_and_null_in_the_order_of_its_first_column() {
        let mut rows = rows("12i0:;-7i3:;é;n;;".as_bytes()).unwrap();
        assert_eq!(rows.len(), 4);
        let mut last = rows.split_off(2);
        assert_eq!(rows[0].optional_text(), Ok(None));
        assert!(rows[1].text().is_err());
        assert_eq!((last[0].integer(), last[0].text()), (Ok(-7), Ok(";é".to_owned())));
        assert_eq!((last[1].integer(), last[1].text()), (Ok(12), Ok(String::new())));
    }

    #[test]
    fn a_list_that_is_cut_off_is_none() {
        assert_eq!(read(""), Some(Vec::new()));
        for cut in ["7i", "7i3:ab", "7i3:abc", "7", "-", "x;", "3:é", "7i3:ab;"] {
            assert_eq!(read(cut), None, "{cut}");
        }
    }
}
