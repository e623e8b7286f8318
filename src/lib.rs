//! Agent Codex: a remote notebook for AI agents.

pub mod json;
pub mod notebook;
