//! The Model Context Protocol, over streamable HTTP and without sessions. This module is pure: bytes and headers go in,
//! answers or calls of the codex come out.
//!
//! | subject | module |
//! | --- | --- |
//! | JSON-RPC messages, ids and errors | [`rpc`] |
//! | protocol revisions, the two eras, the request's headers | [`era`] |
//! | the tool listing and its schemas | [`listing`] |
//! | methods and their results | [`server`] |
//! | the trace that a request belongs to | [`Trace`] |

pub mod era;
pub mod listing;
pub mod rpc;
mod schema;
pub mod server;
mod trace;

pub use server::{Answered, CallReply, Exchange, PendingCall, Reply, Step, receive};
pub use trace::Trace;
