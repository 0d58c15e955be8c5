//! The OpenAPI document, made from the table of routes and the types that it names.

use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::route::{Gives, Level, Route};

/// Describes routes as OpenAPI 3.1.
pub fn document_of(routes: &[Route]) -> Value {
    let mut schemas = Schemas::new();
    let mut paths = Map::new();
    for route in routes {
        let operation = operation(route, &mut schemas);
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.as_str().to_ascii_lowercase()] = operation;
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Modelgate",
            "version": env!("CARGO_PKG_VERSION"),
            "description": ABOUT,
        },
        "servers": [{"url": "/"}],
        "paths": paths,
        "components": {
            "schemas": schemas.definitions(),
            "responses": {"Failure": failure()},
            "securitySchemes": {
                "session": {"type": "apiKey", "in": "cookie", "name": "session"},
                "access_token": {"type": "http", "scheme": "bearer", "bearerFormat": "pat-…"},
            },
        },
    })
}

const ABOUT: &str = "Under `/api`, the management interface; under `/v1` and `/v1beta`, model calls in the \
    vendors' own formats, with a token in any of four places. Replies of the management interface are `{\"success\", \"message\", \"data\"}` with real statuses; failures \
    have a stable `code`. Every path works with and without the slash at its end. In a partial update \
    an absent field is unchanged and `null` clears. An access token needs the scope that `x-scope` names. \
    Operations with `x-step-up` take a login session whose person has proved who they are within ten minutes \
    (`POST /api/verify`); otherwise the code is `step_up_required`. Amounts are `quota`, integers of 1/500,000 \
    dollar, beside exact decimal text in fields that end in `_usd`.";

/// What comes in and what goes out follow different rules about what is required.
struct Schemas {
    input: SchemaGenerator,
    output: SchemaGenerator,
}

impl Schemas {
    fn new() -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| {
            settings.definitions_path = "/components/schemas".into();
            settings.meta_schema = None;
        });
        Self {
            input: settings.clone().for_deserialize().into_generator(),
            output: settings.for_serialize().into_generator(),
        }
    }

    fn definitions(&mut self) -> Map<String, Value> {
        let mut all = self.output.take_definitions(true);
        for (name, schema) in self.input.take_definitions(true) {
            let former = all.insert(name.clone(), schema.clone());
            assert!(
                former.is_none_or(|former| former == schema),
                "{name} is two different schemas; rename the one that comes in"
            );
        }
        all.sort_keys();
        all
    }
}

fn operation(route: &Route, schemas: &mut Schemas) -> Value {
    let mut operation = json!({
        "operationId": operation_id(route),
        "tags": [tag(route.path)],
        "summary": route.about,
        "x-level": level(route.level),
    });
    if !route.details.is_empty() {
        operation["description"] = json!(route.details);
    }
    if route.level > Level::None {
        let session = json!({"session": []});
        operation["security"] = if route.is_session_only() {
            json!([session])
        } else {
            operation["x-scope"] = json!(route.scope.name());
            json!([session, {"access_token": []}])
        };
        if route.needs_step_up {
            operation["x-step-up"] = json!(true);
        }
    }
    let mut parameters = path_parameters(route.path);
    for query in &route.queries {
        parameters.extend(query_parameters(
            query(&mut schemas.input).to_value(),
            schemas,
        ));
    }
    if !parameters.is_empty() {
        operation["parameters"] = Value::Array(parameters);
    }
    if let Some(body) = route.body {
        let schema = body(&mut schemas.input);
        operation["requestBody"] =
            json!({"required": true, "content": {"application/json": {"schema": schema}}});
    } else if route.raw_body {
        operation["requestBody"] = json!({"required": true, "content": {"*/*": {}}});
    }
    operation["responses"] = responses(route, schemas);
    operation
}

/// Statuses that follow from what a route is are listed; `default` stands for the rest.
fn responses(route: &Route, schemas: &mut Schemas) -> Value {
    let mut responses = match &route.gives {
        Gives::Data(data) => {
            let envelope = json!({
                "type": "object",
                "required": ["success", "message", "data"],
                "properties": {
                    "success": {"const": true},
                    "message": {"type": "string"},
                    "data": data(&mut schemas.output),
                },
            });
            json!({"200": {
                "description": "It worked.",
                "content": {"application/json": {"schema": envelope}},
            }})
        }
        Gives::Media(media) => {
            let types = media.split(", ").map(|media| (media.to_owned(), json!({})));
            let types: Map<String, Value> = types.collect();
            json!({"200": {"description": "It worked.", "content": types}})
        }
        Gives::Events(schema) => {
            let content = json!({"text/event-stream": {"schema": schema(&mut schemas.output)}});
            json!({"200": {"description": "It worked.", "content": content}})
        }
        Gives::Redirect => json!({"303": {"description": "The browser goes on there."}}),
    };
    let failure = json!({"$ref": "#/components/responses/Failure"});
    let has_input = route.body.is_some() || route.raw_body || !route.queries.is_empty();
    for (status, applies) in [
        ("400", has_input),
        ("401", route.level > Level::None),
        ("403", route.level > Level::None),
        ("404", route.path.contains('{')),
        ("default", true),
    ] {
        if applies {
            responses[status] = failure.clone();
        }
    }
    responses
}

fn failure() -> Value {
    json!({
        "description": "It was refused, or it failed.",
        "content": {"application/json": {"schema": {
            "type": "object",
            "required": ["success", "message", "code"],
            "properties": {
                "success": {"const": false},
                "message": {"type": "string", "description": "For people; may change."},
                "code": {"type": "string", "description": "For programs; never reused."},
                "data": {"type": "null"},
            },
        }}},
    })
}

/// An `{id}` is a number, everything else is text.
fn path_parameters(path: &str) -> Vec<Value> {
    let names = path
        .split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let parameter = |name: &str| {
        let schema = if name == "id" {
            json!({"type": "integer", "format": "int64"})
        } else {
            json!({"type": "string"})
        };
        json!({"name": name, "in": "path", "required": true, "schema": schema})
    };
    names.map(parameter).collect()
}

/// The properties of a schema as query parameters.
fn query_parameters(mut schema: Value, schemas: &Schemas) -> Vec<Value> {
    if let Some(name) = schema["$ref"]
        .as_str()
        .and_then(|path| path.rsplit('/').next())
    {
        schema = schemas
            .input
            .definitions()
            .get(name)
            .cloned()
            .unwrap_or_default();
    }
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let Some(Value::Object(properties)) = schema.get("properties").cloned() else {
        return Vec::new();
    };
    let parameter = |(name, mut schema): (String, Value)| {
        let description = schema
            .as_object_mut()
            .and_then(|schema| schema.remove("description"));
        let is_required = required.iter().any(|required| *required == name);
        let mut parameter =
            json!({"name": name, "in": "query", "required": is_required, "schema": schema});
        if let Some(description) = description {
            parameter["description"] = description;
        }
        parameter
    };
    properties.into_iter().map(parameter).collect()
}

fn operation_id(route: &Route) -> String {
    let words = route
        .path
        .split(['/', '{', '}'])
        .filter(|word| !word.is_empty());
    let words: Vec<&str> = words.skip(1).collect();
    let name = words.join("_").replace('.', "_");
    format!("{}_{name}", route.method.as_str().to_ascii_lowercase())
}

/// The resource: the first word after `/api/`.
fn tag(path: &str) -> &str {
    let word = path.split('/').nth(2).unwrap_or_default();
    word.split('.').next().unwrap_or_default()
}

fn level(level: Level) -> &'static str {
    match level {
        Level::None => "none",
        Level::User => "user",
        Level::Administrator => "administrator",
        Level::Root => "root",
    }
}
