//! Reads a vendor's list of models, whichever of the known shapes it has: an array at the top or
//! under a member that vendors call it by, of names or of objects that have one.

use serde_json::Value;

/// One page of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModelPage {
    /// Names, as a call must spell them.
    pub models: Vec<String>,
    /// What to ask the next page by.
    pub next: Option<String>,
}

/// An answer that is no list of models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the upstream's list of models cannot be read")]
pub struct UnreadableList;

/// What vendors call the list: most; Google, Cohere and Ollama; Bedrock; Vertex.
const LISTS: [&str; 4] = ["data", "models", "modelSummaries", "publisherModels"];
/// What they call a name in it.
const NAMES: [&str; 4] = ["id", "name", "model", "modelId"];

impl ModelPage {
    /// Reads a page.
    pub fn read(body: &[u8]) -> Result<Self, UnreadableList> {
        let value: Value = serde_json::from_slice(body).map_err(|_| UnreadableList)?;
        let named = LISTS.iter().map(|name| value.get(name));
        let list = std::iter::once(Some(&value))
            .chain(named)
            .find_map(|place| place?.as_array())
            .ok_or(UnreadableList)?;
        Ok(Self {
            models: list.iter().filter_map(name).collect(),
            next: next(&value),
        })
    }
}

fn name(entry: &Value) -> Option<String> {
    let named = NAMES.iter().find_map(|key| entry.get(key)?.as_str());
    let name = entry.as_str().or(named)?;
    // Google's resource names: `models/…`, and `publishers/…/models/…` on Vertex.
    let name = match name.strip_prefix("publishers/") {
        Some(rest) => rest.split_once("/models/").map_or(name, |(_, model)| model),
        None => name.strip_prefix("models/").unwrap_or(name),
    };
    (!name.is_empty()).then(|| name.to_owned())
}

fn next(page: &Value) -> Option<String> {
    let has_more = page.get("has_more").and_then(Value::as_bool) == Some(true);
    let last = page.get("last_id").filter(|_| has_more);
    let token = page
        .get("nextPageToken")
        .or_else(|| page.get("next_page_token"));
    let next = token.or(last)?.as_str()?;
    (!next.is_empty()).then(|| next.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_known_shape_is_read() {
        for (body, models, next) in [
            (
                r#"{"object":"list","data":[{"id":"a"},{"id":"b"}]}"#,
                "a b",
                None,
            ),
            (
                r#"[{"id":"together/a","object":"model"}]"#,
                "together/a",
                None,
            ),
            (
                r#"{"models":[{"name":"models/g","version":"1"}],"nextPageToken":"n"}"#,
                "g",
                Some("n"),
            ),
            (
                r#"{"data":[{"id":"c","type":"model"}],"has_more":true,"last_id":"c"}"#,
                "c",
                Some("c"),
            ),
            (
                r#"{"data":[{"id":"c"}],"has_more":false,"last_id":"c"}"#,
                "c",
                None,
            ),
            (
                r#"{"models":[{"name":"command-a"}],"next_page_token":""}"#,
                "command-a",
                None,
            ),
            (
                r#"{"models":[{"name":"llama3:8b","model":"llama3:8b"}]}"#,
                "llama3:8b",
                None,
            ),
            (r#"["x",{"nothing":1},{"id":""}]"#, "x", None),
            (r#"{"data":[]}"#, "", None),
            (
                r#"{"modelSummaries":[{"modelArn":"arn:x","modelId":"amazon.nova-pro-v1:0"}]}"#,
                "amazon.nova-pro-v1:0",
                None,
            ),
            (
                r#"{"publisherModels":[{"name":"publishers/google/models/gemini-x"}],"nextPageToken":"t"}"#,
                "gemini-x",
                Some("t"),
            ),
        ] {
            let page = ModelPage::read(body.as_bytes()).unwrap();
            assert_eq!(page.models.join(" "), models, "{body}");
            assert_eq!(page.next.as_deref(), next, "{body}");
        }
    }

    #[test]
    fn what_is_no_list_is_refused() {
        for body in ["", "<html>", "{}", r#"{"error":{"message":"x"}}"#, "3"] {
            assert_eq!(
                ModelPage::read(body.as_bytes()),
                Err(UnreadableList),
                "{body}"
            );
        }
    }
}
