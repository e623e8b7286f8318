//! A request: its head is read in one go, since every word with JavaScript costs.

use wasm_bindgen::prelude::*;
use worker::js_sys::{Array, Promise, Uint8Array};
use worker::wasm_bindgen_futures::JsFuture;
use worker::{FromRequest, web_sys};

#[wasm_bindgen(module = "/src/bridge.js")]
extern "C" {
    #[wasm_bindgen(catch)]
    fn head(request: &web_sys::Request, wanted: &Array) -> Result<String, JsValue>;
    #[wasm_bindgen(catch)]
    fn collect(body: Option<web_sys::ReadableStream>, limit: usize) -> Result<Promise, JsValue>;
}

/// The headers that are read at most requests.
const WANTED: [&str; 9] = [
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

thread_local! {
    /// `WANTED` as JavaScript has it.
    static NAMES: Array = WANTED.iter().map(|name| JsValue::from_str(name)).collect();
}

/// A request that came in.
pub(super) struct Request {
    js: web_sys::Request,
    method: String,
    url: String,
    headers: Headers,
    body_taken: bool,
}

/// The headers of a request.
pub(super) struct Headers {
    js: web_sys::Request,
    /// The values of those that are wanted.
    wanted: Vec<Option<String>>,
}

impl FromRequest for Request {
    fn from_raw(js: web_sys::Request) -> Result<Self, impl Into<Box<dyn std::error::Error>>> {
        Self::read(js)
    }
}

impl Request {
    fn read(js: web_sys::Request) -> worker::Result<Self> {
        let head = NAMES.with(|names| head(&js, names))?;
        let mut lines = head.split('\n');
        let mut next = || lines.next().unwrap_or_default();
        let (method, url) = (next().to_owned(), next().to_owned());
        let wanted = lines.map(|line| line.strip_prefix('=').map(str::to_owned)).collect();
        Ok(Self { headers: Headers { js: Clone::clone(&js), wanted }, js, method, url, body_taken: false })
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

    pub(super) fn path(&self) -> String {
        let path = self.url.get(self.origin_end()..).unwrap_or_default();
        path.split(['?', '#']).next().unwrap_or_default().to_owned()
    }

    fn origin_end(&self) -> usize {
        let authority = self.url.find("://").map_or(0, |scheme| scheme.saturating_add(3));
        let path = self.url.get(authority..).and_then(|rest| rest.find(['/', '?', '#']));
        path.map_or(self.url.len(), |path| authority.saturating_add(path))
    }

    pub(super) fn headers(&self) -> &Headers {
        &self.headers
    }

    /// Whether there is a body that nobody has taken.
    pub(super) fn has_body(&self) -> bool {
        !self.body_taken && self.js.body().is_some()
    }

    /// Takes the body.
    pub(super) async fn bytes(&mut self) -> worker::Result<Vec<u8>> {
        self.body_taken = true;
        let buffer = JsFuture::from(self.js.array_buffer()?).await?;
        Ok(Uint8Array::new(&buffer).to_vec())
    }

    /// Takes the body bit by bit; `None` where it has more than so many bytes.
    pub(super) async fn bytes_up_to(&mut self, limit: usize) -> worker::Result<Option<Vec<u8>>> {
        self.body_taken = true;
        let bytes = JsFuture::from(collect(self.js.body(), limit)?).await?;
        Ok((!bytes.is_undefined()).then(|| Uint8Array::new(&bytes).to_vec()))
    }
}

impl Headers {
    /// A header's value.
    pub(super) fn get(&self, name: &str) -> worker::Result<Option<String>> {
        match WANTED.iter().position(|wanted| *wanted == name) {
            Some(position) => Ok(self.wanted.get(position).cloned().flatten()),
            None => Ok(self.js.headers().get(name)?),
        }
    }
}
