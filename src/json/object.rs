//! An object that is written member by member, in the order given.

use super::string::write_string;

/// A JSON object that is being written. The caller sees to it that no name is there twice.
#[derive(Debug, Default)]
pub struct Object(String);

impl Object {
    /// An object without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a member whose value is written already.
    #[must_use]
    pub fn json(mut self, name: &str, value: &str) -> Self {
        self.0.push(if self.0.is_empty() { '{' } else { ',' });
        write_string(&mut self.0, name);
        self.0.push(':');
        self.0.push_str(value);
        self
    }

    /// Adds a string.
    #[must_use]
    pub fn text(self, name: &str, value: &str) -> Self {
        let mut json = String::with_capacity(value.len().saturating_add(2));
        write_string(&mut json, value);
        self.json(name, &json)
    }

    /// Adds an integer.
    #[must_use]
    pub fn integer(self, name: &str, value: i64) -> Self {
        self.json(name, &value.to_string())
    }

    /// Adds an array of strings.
    #[must_use]
    pub fn texts<'t>(self, name: &str, values: impl IntoIterator<Item = &'t str>) -> Self {
        let mut json = String::from("[");
        for (position, value) in values.into_iter().enumerate() {
            json.push_str(if position == 0 { "" } else { "," });
            write_string(&mut json, value);
        }
        json.push(']');
        self.json(name, &json)
    }

    /// The object's text.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.0.push_str(if self.0.is_empty() { "{}" } else { "}" });
        self.0
    }
}
