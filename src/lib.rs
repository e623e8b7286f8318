//! Agent Codex: a remote notebook for AI agents, as a Cloudflare Worker that speaks MCP.
//!
//! - [`notebook`]: entries and what may be done with them
//! - [`auth`]: who may do what in which codex
//! - [`codex`]: one turn of a codex: the grant checked, the call executed
//! - [`mcp`]: the protocol
//! - `edge`: the Worker (wasm32 alone)
//! - `object`: the Durable Object (wasm32 alone)
//! - `clock`, `random`: what the runtime gives both (wasm32 alone)
//! - [`json`], [`mac`]: what several of them read and sign with
//!
//! All but `edge` and `object` are pure: no JavaScript, no clock, no randomness of their own.

// What a request reaches does not panic. Tests may.
#![cfg_attr(
    not(test),
    warn(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing,
        clippy::string_slice,
        clippy::arithmetic_side_effects
    )
)]

pub mod auth;
#[cfg(target_arch = "wasm32")]
mod clock;
pub mod codex;
#[cfg(target_arch = "wasm32")]
mod edge;
pub mod json;
pub mod mac;
pub mod mcp;
pub mod notebook;
#[cfg(target_arch = "wasm32")]
mod object;
#[cfg(target_arch = "wasm32")]
mod random;

// What `src/entry.js` calls.
#[cfg(target_arch = "wasm32")]
pub use edge::{handle, incomplete, unanswered};
#[cfg(target_arch = "wasm32")]
pub use object::{Codex, broken};
