//! Parameters of a request, as a query or a form encodes them (RFC 6749, appendix B).

/// Bytes of encoded parameters, at most.
pub const BYTES: usize = 32_768;

/// The parameters of a request. None is there twice, and an empty one is not there (RFC 6749, section 3.1).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Decodes parameters.
    ///
    /// # Errors
    /// What is wrong: they are too long, or one is repeated or no UTF-8.
    pub fn parse(encoded: &[u8]) -> Result<Self, &'static str> {
        if encoded.len() > BYTES {
            return Err("The parameters are too long");
        }
        let mut parameters: Vec<(String, String)> = Vec::new();
        for (name, value) in form_urlencoded::parse(encoded) {
            if parameters.iter().any(|(known, _)| *known == name) {
                return Err("A parameter is repeated");
            }
            // What is no UTF-8 would come back as something else.
            if name.contains('\u{fffd}') || value.contains('\u{fffd}') {
                return Err("A parameter is not UTF-8");
            }
            parameters.push((name.into_owned(), value.into_owned()));
        }
        parameters.retain(|(_, value)| !value.is_empty());
        Ok(Self(parameters))
    }

    /// A parameter's value.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}
