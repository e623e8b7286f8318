//! The notebook.
pub mod text;
