//! The file as text, and its YAML as the same values that JSON has.

use std::path::Path;

use serde_json::{Map, Value};

use crate::imports::error::ImportError;

/// The largest file.
const LARGEST: u64 = 8 * 1024 * 1024;
/// How deep values may lie.
const DEEPEST: usize = 32;

/// Reads the file.
pub async fn read_file(path: &Path) -> Result<String, ImportError> {
    let unreadable = |error: &dyn std::fmt::Display| {
        ImportError::source(format!("the source cannot be read: {error}"))
    };
    let facts = tokio::fs::metadata(path)
        .await
        .map_err(|error| unreadable(&error))?;
    if facts.len() > LARGEST {
        return Err(ImportError::source("a configuration has at most 8 MiB"));
    }
    let bytes = tokio::fs::read(path)
        .await
        .map_err(|error| unreadable(&error))?;
    String::from_utf8(bytes).map_err(|_| ImportError::source("the file is not text"))
}

/// Reads YAML whose top is a mapping.
pub(super) fn parse(text: &str) -> Result<Map<String, Value>, ImportError> {
    let read: serde_yaml_ng::Value = serde_yaml_ng::from_str(text)
        .map_err(|error| ImportError::source(format!("the file is not YAML: {error}")))?;
    match value(read, 0)? {
        Value::Object(object) if object.contains_key("model_list") => Ok(object),
        _ => Err(ImportError::source(
            "there is no `model_list`: is this a configuration of LiteLLM?",
        )),
    }
}

fn value(yaml: serde_yaml_ng::Value, depth: usize) -> Result<Value, ImportError> {
    use serde_yaml_ng::Value as Yaml;
    if depth > DEEPEST {
        return Err(ImportError::source("the configuration is nested too deep"));
    }
    Ok(match yaml {
        Yaml::Null => Value::Null,
        Yaml::Bool(flag) => Value::Bool(flag),
        Yaml::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(whole), _) => Value::from(whole),
            (None, Some(number)) => Value::from(number),
            (None, None) => Value::Null,
        },
        Yaml::String(text) => Value::String(text),
        Yaml::Sequence(list) => {
            let list = list.into_iter().map(|one| value(one, depth + 1));
            Value::Array(list.collect::<Result<_, _>>()?)
        }
        Yaml::Mapping(mapping) => {
            let mut object = Map::new();
            for (key, one) in mapping {
                let key = match key {
                    Yaml::String(text) => text,
                    other => value(other, depth + 1)?.to_string(),
                };
                object.insert(key, value(one, depth + 1)?);
            }
            Value::Object(object)
        }
        Yaml::Tagged(tagged) => value(tagged.value, depth + 1)?,
    })
}
