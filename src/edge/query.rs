//! The query of a request's URL.

use super::request::Request;
use crate::auth::oauth::form::Parameters;

/// The parameters of the query; none where there is no query.
///
/// # Errors
/// What is wrong with them, as [`Parameters::parse`] says.
pub(super) fn parameters(request: &Request) -> Result<Parameters, &'static str> {
    let query = request.url().split_once('?').map_or("", |(_, query)| query);
    Parameters::parse(query.split('#').next().unwrap_or_default().as_bytes())
}
