//! The description of the interface as an OpenAPI document.

use std::sync::LazyLock;

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};
use serde_json::Value;

use crate::management::frame::document_of;
use crate::management::table::table;

pub(super) static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    let mut document = document_of(&table());
    crate::model_call::description::add_to(&mut document);
    document
});
/// The description of the whole interface.
pub fn description() -> &'static Value {
    &DOCUMENT
}

static TEXT: LazyLock<String> = LazyLock::new(|| DOCUMENT.to_string());

/// `GET /api/openapi.json`.
pub(super) async fn openapi() -> Response {
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], TEXT.as_str()).into_response()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn the_stored_document_is_fresh() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/api/openapi.json");
        let mut text = serde_json::to_string_pretty(&*DOCUMENT).unwrap();
        text.push('\n');
        if std::env::var_os("MODELGATE_UPDATE").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &text).unwrap();
        }
        let stored = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            stored == text,
            "docs/api/openapi.json is stale; run `make generate`"
        );
    }

    #[test]
    fn every_operation_says_what_it_does_and_has_a_name_of_its_own() {
        let mut names = std::collections::BTreeSet::new();
        for (path, methods) in DOCUMENT["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                assert!(
                    !operation["summary"].as_str().unwrap().is_empty(),
                    "{method} {path}"
                );
                let name = operation["operationId"].as_str().unwrap();
                assert!(names.insert(name.to_owned()), "{name} is there twice");
            }
        }
        assert!(!names.is_empty());
    }

    #[test]
    fn every_reference_leads_somewhere() {
        fn walk(value: &Value) {
            match value {
                Value::Object(fields) => {
                    if let Some(Value::String(reference)) = fields.get("$ref") {
                        let pointer = reference.trim_start_matches('#');
                        assert!(DOCUMENT.pointer(pointer).is_some(), "{reference}");
                    }
                    fields.values().for_each(walk);
                }
                Value::Array(items) => items.iter().for_each(walk),
                _ => {}
            }
        }
        walk(&DOCUMENT);
    }
}
