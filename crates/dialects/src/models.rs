//! Model lists: one list in the three shapes that clients ask for. Which models a token may see, and which shape a
//! caller wants, is the server's business.

use serde_json::{Value, json};

use crate::DialectId;
use crate::json;

/// A model as a list shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedModel {
    /// The name that clients ask for.
    pub id: String,
    /// Whose it is, for the shape that says so.
    pub owned_by: String,
    /// When it was first seen: unix seconds.
    pub created: u64,
    /// The same as RFC 3339 text, which one of the shapes wants.
    pub created_at: String,
    /// The most tokens of a prompt, where it is known.
    pub max_input: Option<u64>,
    /// The most tokens of an answer, where it is known.
    pub max_output: Option<u64>,
    /// Whether it writes text, for the shape that says so.
    pub generates: bool,
    /// Whether it makes vectors, for the same.
    pub embeds: bool,
}

/// The part of a long list that a client asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListPage {
    /// How many entries; the dialect's own default where the client did not say.
    pub limit: Option<usize>,
    /// Only entries after this id (messages), or this page token (generate content).
    pub after: Option<String>,
    /// Only entries before this id (messages).
    pub before: Option<String>,
}

/// Writes a list in the shape of this dialect. `models` is sorted by id.
pub fn write_list(dialect: DialectId, models: &[ListedModel], page: &ListPage) -> Vec<u8> {
    let body = match dialect {
        DialectId::Messages => messages_list(models, page),
        DialectId::GenerateContent => generate_list(models, page),
        _ => json!({"object": "list", "data": models.iter().map(chat_model).collect::<Vec<_>>()}),
    };
    json::bytes(&body)
}

/// Writes one model in the shape of this dialect.
pub fn write_model(dialect: DialectId, model: &ListedModel) -> Vec<u8> {
    json::bytes(&match dialect {
        DialectId::Messages => messages_model(model),
        DialectId::GenerateContent => generate_model(model),
        _ => chat_model(model),
    })
}

fn chat_model(model: &ListedModel) -> Value {
    json!({"id": model.id, "object": "model", "created": model.created, "owned_by": model.owned_by})
}

fn messages_model(model: &ListedModel) -> Value {
    json!({
        "type": "model",
        "id": model.id,
        "display_name": model.id,
        "created_at": model.created_at,
        // Newer SDKs want it; what is listed can be called.
        "lifecycle": "active",
        "max_input_tokens": model.max_input,
        "max_tokens": model.max_output,
    })
}

fn generate_model(model: &ListedModel) -> Value {
    // Clients pick models for a purpose by these.
    let mut methods = Vec::new();
    if model.generates {
        methods.extend(["generateContent", "streamGenerateContent", "countTokens"]);
    }
    if model.embeds {
        methods.extend(["embedContent", "batchEmbedContents"]);
    }
    let mut out = json!({
        // Clients cut this prefix off; without it they build wrong addresses.
        "name": format!("models/{}", model.id),
        "baseModelId": model.id,
        "version": "001",
        "displayName": model.id,
        "supportedGenerationMethods": methods,
    });
    if let Some(limit) = model.max_input {
        out["inputTokenLimit"] = json!(limit);
    }
    if let Some(limit) = model.max_output {
        out["outputTokenLimit"] = json!(limit);
    }
    out
}

fn messages_list(models: &[ListedModel], page: &ListPage) -> Value {
    let limit = page.limit.unwrap_or(20).clamp(1, 1000);
    let after = page.after.as_deref();
    let before = page.before.as_deref();
    let inside: Vec<&ListedModel> = models
        .iter()
        .filter(|model| after.is_none_or(|id| model.id.as_str() > id))
        .filter(|model| before.is_none_or(|id| model.id.as_str() < id))
        .collect();
    // A page before an id is the one that ends right there.
    let start = if before.is_some() && after.is_none() {
        inside.len().saturating_sub(limit)
    } else {
        0
    };
    let shown = &inside[start..inside.len().min(start + limit)];
    json!({
        "data": shown.iter().map(|model| messages_model(model)).collect::<Vec<_>>(),
        "has_more": shown.len() < inside.len(),
        "first_id": shown.first().map(|model| &model.id),
        "last_id": shown.last().map(|model| &model.id),
    })
}

fn generate_list(models: &[ListedModel], page: &ListPage) -> Value {
    let limit = page.limit.unwrap_or(50).clamp(1, 1000);
    let after = page.after.as_deref();
    let rest: Vec<&ListedModel> = models
        .iter()
        .filter(|model| after.is_none_or(|id| model.id.as_str() > id))
        .collect();
    let shown = &rest[..rest.len().min(limit)];
    let mut out =
        json!({"models": shown.iter().map(|model| generate_model(model)).collect::<Vec<_>>()});
    if let Some(last) = shown.last().filter(|_| shown.len() < rest.len()) {
        out["nextPageToken"] = json!(last.id);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn models(ids: &[&str]) -> Vec<ListedModel> {
        ids.iter()
            .map(|id| ListedModel {
                id: (*id).to_owned(),
                owned_by: "vendor".to_owned(),
                created: 1_780_000_000,
                created_at: "2026-05-28T20:26:40Z".to_owned(),
                max_input: None,
                max_output: Some(4096),
                generates: !id.contains("embed"),
                embeds: id.contains("embed"),
            })
            .collect()
    }

    fn list(dialect: DialectId, ids: &[&str], page: &ListPage) -> Value {
        serde_json::from_slice(&write_list(dialect, &models(ids), page)).unwrap()
    }

    #[test]
    fn each_dialect_gets_its_own_shape() {
        let page = ListPage::default();
        let chat = list(DialectId::ChatCompletions, &["a/b:c"], &page);
        assert_eq!(
            chat,
            json!({"object": "list", "data": [{"id": "a/b:c", "object": "model",
                "created": 1_780_000_000, "owned_by": "vendor"}]})
        );
        let messages = list(DialectId::Messages, &["m"], &page);
        assert_eq!(messages["data"][0]["type"], "model");
        assert_eq!(messages["data"][0]["created_at"], "2026-05-28T20:26:40Z");
        assert_eq!(messages["last_id"], "m");
        let generate = list(DialectId::GenerateContent, &["g"], &page);
        assert_eq!(generate["models"][0]["name"], "models/g");
        assert_eq!(generate["models"][0]["outputTokenLimit"], 4096);
        assert!(generate.get("nextPageToken").is_none());
    }

    #[test]
    fn a_model_names_the_methods_that_it_can_be_asked_by() {
        let page = ListPage::default();
        let listed = list(DialectId::GenerateContent, &["g-chat", "g-embed"], &page);
        let methods = |index: usize| &listed["models"][index]["supportedGenerationMethods"];
        assert_eq!(
            methods(0),
            &json!(["generateContent", "streamGenerateContent", "countTokens"])
        );
        assert_eq!(methods(1), &json!(["embedContent", "batchEmbedContents"]));
    }

    #[test]
    fn an_empty_list_is_a_list() {
        let page = ListPage::default();
        assert_eq!(
            list(DialectId::ChatCompletions, &[], &page)["data"],
            json!([])
        );
        let messages = list(DialectId::Messages, &[], &page);
        assert_eq!(messages["first_id"], Value::Null);
        assert_eq!(
            list(DialectId::GenerateContent, &[], &page)["models"],
            json!([])
        );
    }

    #[test]
    fn pages_cover_the_list_without_gaps() {
        let ids = ["a", "b", "c", "d", "e"];
        let mut seen = Vec::new();
        let mut page = ListPage {
            limit: Some(2),
            ..ListPage::default()
        };
        loop {
            let body = list(DialectId::Messages, &ids, &page);
            seen.extend(
                body["data"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|m| m["id"].clone()),
            );
            page.after = body["last_id"].as_str().map(str::to_owned);
            if body["has_more"] == false {
                break;
            }
        }
        assert_eq!(seen, ids);
        let back = ListPage {
            limit: Some(2),
            before: Some("d".into()),
            after: None,
        };
        let body = list(DialectId::Messages, &ids, &back);
        assert_eq!(
            (&body["first_id"], &body["last_id"]),
            (&json!("b"), &json!("c"))
        );
        let first = ListPage {
            limit: Some(2),
            ..ListPage::default()
        };
        let body = list(DialectId::GenerateContent, &ids, &first);
        assert_eq!(body["nextPageToken"], "b");
    }
}
