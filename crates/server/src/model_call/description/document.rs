//! From the entries to the document.

use serde_json::{Map, Value, json};

use super::operations::{BETA_VERSION, Errors, FIRST_VERSION, Gives, OPERATIONS, Operation, Takes};

/// What bodies and answers look like, as far as the gateway reads or writes them itself.
const SCHEMAS: &str = include_str!("schemas.json");

const TAG: &str = "model-calls";

/// What the header of that name says.
const DROPPED: &str = "Names of what was left out, with commas, each once: first what of the request the \
    upstream's format cannot say, then, where the answer comes whole, what of the answer the caller's format cannot \
    say. A stream names only the former. Not there where nothing was left out.";

/// Adds the paths, schemas, failures and token forms to a document.
pub fn add_to(document: &mut Value) {
    let operations = OPERATIONS.iter().chain(&FIRST_VERSION).chain(&BETA_VERSION);
    for operation in operations {
        document["paths"][operation.path][operation.method] = describe(operation);
    }
    let schemas: Map<String, Value> = serde_json::from_str(SCHEMAS).unwrap_or_default();
    let components = &mut document["components"];
    for (name, schema) in schemas {
        add_schema(&mut components["schemas"], &name, schema);
    }
    for (name, schema) in [
        ("ChatFailure", "ChatError"),
        ("MessagesFailure", "MessagesError"),
        ("GenerateFailure", "GenerateError"),
    ] {
        components["responses"][name] = json!({
            "description": "It was refused, or it failed, in the format of the caller.",
            "headers": {"x-request-id": request_id(), "retry-after": {
                "description": "Seconds, where waiting helps.", "schema": {"type": "integer"}}},
            "content": {"application/json": {"schema": reference(schema)}},
        });
    }
    for (name, scheme) in token_forms() {
        components["securitySchemes"][name] = scheme;
    }
}

/// Adds a schema. One name for two different schemas would make every reference to one of them a lie;
/// the document is made from what is compiled in, so that any test finds it.
fn add_schema(schemas: &mut Value, name: &str, schema: Value) {
    let known = &mut schemas[name];
    assert!(
        known.is_null() || *known == schema,
        "two different schemas are called {name}"
    );
    *known = schema;
}

fn token_forms() -> [(&'static str, Value); 4] {
    let key = |place: &str, name: &str| json!({"type": "apiKey", "in": place, "name": name});
    [
        (
            "token",
            json!({"type": "http", "scheme": "bearer", "bearerFormat": "sk-…"}),
        ),
        ("token_x_api_key", key("header", "x-api-key")),
        ("token_x_goog_api_key", key("header", "x-goog-api-key")),
        ("token_query", key("query", "key")),
    ]
}

fn describe(operation: &Operation) -> Value {
    let mut described = json!({
        "operationId": operation_id(operation),
        "tags": [TAG],
        "summary": operation.about,
        "x-level": "token",
        "security": token_forms().map(|(name, _)| json!({name: []})),
    });
    let parameters = parameters(operation);
    if !parameters.is_empty() {
        described["parameters"] = Value::Array(parameters);
    }
    let (form, body) = match operation.takes {
        Takes::Nothing => (None, None),
        Takes::Json(name) => (None, Some(name)),
        Takes::Form(name) => (Some(name), None),
        Takes::FormOrJson(form, body) => (Some(form), Some(body)),
    };
    for (media, name) in [("multipart/form-data", form), ("application/json", body)] {
        if let Some(name) = name {
            let body = &mut described["requestBody"];
            body["required"] = true.into();
            body["content"][media]["schema"] = reference(name);
        }
    }
    described["responses"] = responses(operation);
    described
}

fn operation_id(operation: &Operation) -> String {
    let words = operation.path.split(['/', '{', '}', ':']);
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    format!("call_{}_{}", operation.method, words.join("_"))
}

fn parameters(operation: &Operation) -> Vec<Value> {
    let mut parameters = Vec::new();
    for name in ["model", "id"] {
        if operation.path.contains(&format!("{{{name}}}")) {
            parameters.push(json!({"name": name, "in": "path", "required": true,
                "schema": {"type": "string"}}));
        }
    }
    let optional = |place: &str, name: &str, about: &str| {
        json!({"name": name, "in": place, "required": false, "description": about,
            "schema": {"type": "string"}})
    };
    if operation.errors == Errors::Messages {
        let about = "A date such as `2023-06-01`. Required, here or as `anthropic-version`.";
        parameters.push(optional("header", "provider-version", about));
        parameters.push(optional("header", "anthropic-version", "The same."));
    }
    match operation.gives {
        Gives::EventsOrArray(_) => {
            let about = "`sse` for server-sent events; without it, a JSON array grows.";
            parameters.push(optional("query", "alt", about));
        }
        Gives::Upgrade => {
            let about = "Without it, the operator's default realtime model.";
            parameters.push(optional("query", "model", about));
        }
        _ => {}
    }
    if may_drop(operation) {
        let about =
            "`true` refuses what the upstream's format cannot say, in place of leaving it out.";
        parameters.push(optional("header", "x-modelgate-strict", about));
    }
    parameters
}

/// Whether it may be carried into another format, in which not all of it can be said.
fn may_drop(operation: &Operation) -> bool {
    matches!(
        operation.takes,
        Takes::Json(
            "ChatCompletionRequest"
                | "CompletionRequest"
                | "MessagesRequest"
                | "ResponsesRequest"
                | "GenerateContentRequest"
                | "EmbeddingsRequest"
                | "EmbedContentRequest"
                | "BatchEmbedContentsRequest"
                | "RerankRequest"
                | "ImageRequest"
        ) | Takes::Form("ImageVariationForm" | "TranscriptionForm")
            | Takes::FormOrJson(..)
    )
}

fn responses(operation: &Operation) -> Value {
    let failure = match operation.errors {
        Errors::Chat => "ChatFailure",
        Errors::Messages => "MessagesFailure",
        Errors::Generate => "GenerateFailure",
    };
    let failure = json!({"$ref": format!("#/components/responses/{failure}")});
    let mut responses = match content(operation.gives) {
        Some(content) => {
            let mut headers = json!({"x-request-id": request_id()});
            if may_drop(operation) {
                headers["x-modelgate-dropped"] = json!({
                    "description": DROPPED,
                    "schema": {"type": "string"}});
            }
            json!({"200": {"description": "It worked.", "headers": headers, "content": content}})
        }
        None => json!({
            "101": {"description": "The conversation begins; events go both ways as JSON texts."},
            "426": failure,
        }),
    };
    // No or a wrong token, no money, no right, no such model, too large, too often, upstream trouble.
    for status in [
        "400", "401", "402", "403", "404", "413", "429", "502", "503", "default",
    ] {
        responses[status] = failure.clone();
    }
    responses
}

fn content(gives: Gives) -> Option<Value> {
    let events = json!({"schema": {"type": "string",
        "description": "Server-sent events in the caller's format."}});
    Some(match gives {
        Gives::Json(name) => json!({"application/json": {"schema": reference(name)}}),
        Gives::JsonOrEvents(name) => json!({
            "application/json": {"schema": reference(name)},
            "text/event-stream": events,
        }),
        Gives::EventsOrArray(name) => json!({
            "text/event-stream": events,
            "application/json": {"schema": {"type": "array", "items": reference(name)}},
        }),
        Gives::TextOrEvents(name) => json!({
            "application/json": {"schema": reference(name)},
            "text/plain": {"schema": {"type": "string"}},
            "text/event-stream": events,
        }),
        Gives::Sound => json!({
            "audio/*": {"schema": {"type": "string", "format": "binary"}},
            "text/event-stream": events,
        }),
        Gives::Upgrade => return None,
    })
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn request_id() -> Value {
    json!({"description": "The call's id, also in the log.", "schema": {"type": "string"}})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_schema_may_come_twice() {
        let mut schemas = json!({"Model": {"type": "string"}});
        add_schema(&mut schemas, "Model", json!({"type": "string"}));
        add_schema(&mut schemas, "Other", json!({"type": "object"}));
        assert_eq!(schemas["Other"], json!({"type": "object"}));
    }

    #[test]
    #[should_panic(expected = "two different schemas are called Model")]
    fn two_different_schemas_of_one_name_are_refused() {
        let mut schemas = json!({"Model": {"type": "string"}});
        add_schema(&mut schemas, "Model", json!({"type": "object"}));
    }

    #[test]
    fn every_schema_can_be_read_and_is_referred_to() {
        let schemas: Map<String, Value> = serde_json::from_str(SCHEMAS).unwrap();
        let mut document = json!({"paths": {}, "components": {}});
        add_to(&mut document);
        let text = document.to_string();
        for name in schemas.keys() {
            let used = format!("\"#/components/schemas/{name}\"");
            assert!(text.contains(&used), "{name} is not used");
        }
    }
}
