//! JSON, read strictly and written compactly.
