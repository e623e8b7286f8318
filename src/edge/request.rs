//! A request: its head in one piece, as `src/entry.js` has read it, since every word with JavaScript costs, and its body.

use worker::web_sys;

/// The headers of a head, in their order.
const READ: [&str; 9] = [
    "Origin",
    "Authorization",
    "Content-Length",
    "Content-Type",
    "Content-Encoding",
    "Accept",
    "MCP-Protocol-Version",
    "Mcp-Method",
    "Mcp-Name",
];

/// A request that came in.
pub(super) struct Request {
    method: String,
    url: String,
    headers: Headers,
    /// `None` where it was too large to be read.
    body: Option<Vec<u8>>,
}

/// The headers of a request.
pub(super) struct Headers {
    js: web_sys::Request,
    /// The values of those that were read.
    read: Vec<Option<String>>,
}

impl Request {
    /// The request `js`, whose head and body were read.
    pub(super) fn new(js: web_sys::Request, head: &str, body: Option<Vec<u8>>) -> Self {
        let mut lines = head.split('\n');
        let mut next = || lines.next().unwrap_or_default();
        let (method, url) = (next().to_owned(), next().to_owned());
        let read = lines.map(|line| line.strip_prefix('=').map(str::to_owned)).collect();
        Self { method, url, headers: Headers { js, read }, body }
    }

    /// The method, as it was sent.
    pub(super) fn method(&self) -> &str {
        &self.method
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    /// This server's own origin, as the request names it: what stands before the path of the URL, which the runtime has
    /// parsed already.
    pub(super) fn origin(&self) -> &str {
        self.url.get(..self.origin_end()).unwrap_or_default()
    }

    pub(super) fn path(&self) -> &str {
        let path = self.url.get(self.origin_end()..).unwrap_or_default();
        path.split(['?', '#']).next().unwrap_or_default()
    }

    fn origin_end(&self) -> usize {
        let authority = self.url.find("://").map_or(0, |scheme| scheme.saturating_add(3));
        let path = self.url.get(authority..).and_then(|rest| rest.find(['/', '?', '#']));
        path.map_or(self.url.len(), |path| authority.saturating_add(path))
    }

    pub(super) fn headers(&self) -> &Headers {
        &self.headers
    }

    /// The body; `None` where it was too large to be read.
    pub(super) fn body(&self) -> Option<&[u8]> {
        self.body.as_deref()
    }
}

impl Headers {
    /// A header's value.
    pub(super) fn get(&self, name: &str) -> worker::Result<Option<String>> {
        match READ.iter().position(|read| *read == name) {
            Some(position) => Ok(self.read.get(position).cloned().flatten()),
            None => Ok(self.js.headers().get(name)?),
        }
    }
}
