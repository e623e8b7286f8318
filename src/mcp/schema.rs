//! JSON Schema (draft-07) of shapes. Members follow one another in the order in which shapes declare them.

use std::fmt::Write as _;

use crate::json::write_string;
use crate::notebook::shape::{Member, ObjectShape, Shape};

/// The dialect, as every root names it.
const DIALECT: &str = "\"$schema\":\"http://json-schema.org/draft-07/schema#\"";
/// What a lower-case `UUIDv4` matches.
const ENTRY_ID: &str = "^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$";

/// The schema of a tool's arguments, a root.
pub(super) fn arguments(shape: &ObjectShape) -> String {
    format!("{{{DIALECT},{}}}", object(shape.members, shape.open))
}

/// The schema of a result, a root that holds these properties, all required but those in `optional`.
pub(super) fn result(properties: &[(&str, String)], optional: &[&str], definitions: &[(&str, String)]) -> String {
    format!(
        "{{{DIALECT},{},\"definitions\":{}}}",
        closed_object(properties, optional),
        properties_json(definitions.iter().map(|(name, schema)| (*name, schema.as_str())))
    )
}

/// The keywords of a closed object with these properties, all required but those in `optional`.
pub(super) fn closed_object(properties: &[(&str, String)], optional: &[&str]) -> String {
    let required: Vec<_> = properties.iter().map(|(name, _)| *name).filter(|name| !optional.contains(name)).collect();
    format!(
        "\"type\":\"object\",\"properties\":{},\"required\":{},\"additionalProperties\":false",
        properties_json(properties.iter().map(|(name, schema)| (*name, schema.as_str()))),
        names_json(&required)
    )
}

/// The schema of a value of this shape in a result: its type alone, since what was stored has passed its limits.
pub(super) fn stored(shape: &Shape) -> String {
    match shape {
        Shape::Text { .. } | Shape::EntryId => "{\"type\":\"string\"}".to_owned(),
        Shape::Integer { .. } => "{\"type\":\"integer\"}".to_owned(),
        Shape::List { items, .. } => format!("{{\"type\":\"array\",\"items\":{}}}", stored(items)),
        Shape::Object(_) => "{\"type\":\"object\"}".to_owned(),
    }
}

fn object(members: &[Member], open: bool) -> String {
    let properties: Vec<_> = members.iter().map(|member| (member.name, member_schema(member))).collect();
    let required: Vec<_> = members.iter().filter(|member| member.required).map(|member| member.name).collect();
    let mut json = format!(
        "\"type\":\"object\",\"properties\":{}",
        properties_json(properties.iter().map(|(name, schema)| (*name, schema.as_str())))
    );
    if !required.is_empty() {
        let _ = write!(json, ",\"required\":{}", names_json(&required));
    }
    let _ = write!(json, ",\"additionalProperties\":{open}");
    json
}

fn member_schema(member: &Member) -> String {
    let mut json = format!("{{{}", keywords(&member.shape));
    if !member.description.is_empty() {
        json.push_str(",\"description\":");
        write_string(&mut json, member.description);
    }
    json.push('}');
    json
}

fn keywords(shape: &Shape) -> String {
    match shape {
        Shape::Text { min: 0, max, .. } => format!("\"type\":\"string\",\"maxLength\":{max}"),
        Shape::Text { min, max, .. } => format!("\"type\":\"string\",\"minLength\":{min},\"maxLength\":{max}"),
        Shape::EntryId => format!("\"type\":\"string\",\"pattern\":\"{ENTRY_ID}\""),
        Shape::Integer { min, max, default } => {
            let mut json = format!("\"type\":\"integer\",\"minimum\":{min},\"maximum\":{max}");
            if let Some(default) = default {
                let _ = write!(json, ",\"default\":{default}");
            }
            json
        }
        Shape::List { items, max } => {
            format!("\"type\":\"array\",\"items\":{{{}}},\"maxItems\":{max},\"uniqueItems\":true", keywords(items))
        }
        Shape::Object(shape) => object(shape.members, shape.open),
    }
}

fn properties_json<'p>(properties: impl Iterator<Item = (&'p str, &'p str)>) -> String {
    let mut json = String::from("{");
    for (position, (name, schema)) in properties.enumerate() {
        json.push_str(if position == 0 { "" } else { "," });
        write_string(&mut json, name);
        json.push(':');
        json.push_str(schema);
    }
    json.push('}');
    json
}

fn names_json(names: &[&str]) -> String {
    let mut json = String::from("[");
    for (position, name) in names.iter().enumerate() {
        json.push_str(if position == 0 { "" } else { "," });
        write_string(&mut json, name);
    }
    json.push(']');
    json
}
