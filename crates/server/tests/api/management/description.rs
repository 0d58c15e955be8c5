//! The description of the interface: the document and the page.

use crate::support::{TestApp, get};

const ENDPOINTS: &str = include_str!("../../../src/model_call/endpoints.rs");
const CALLS: &str = include_str!("../../../src/model_call/routes.rs");

/// Methods and paths of the tables of model calls, as the document writes them.
fn call_routes() -> Vec<(&'static str, String)> {
    let path_of = |entry: &'static str| entry.split('"').nth(1).expect("a path");
    let fixed = ENDPOINTS.split("    post(").skip(1);
    let mut found: Vec<_> = fixed.map(|it| ("post", path_of(it).to_owned())).collect();
    // What is refused on purpose is not described.
    let is_served = |entry: &&str| !entry.contains("responses::compact");
    for entry in CALLS.split(".route(").skip(1).filter(is_served) {
        let path = path_of(entry);
        let handlers = entry.split_once(path).expect("handlers").1;
        for method in ["post", "get", "delete"] {
            if !handlers.contains(&format!("{method}(")) {
                continue;
            }
            let verbs: &[&str] = if path.contains("{*model}") && method == "post" {
                &[
                    ":generateContent",
                    ":streamGenerateContent",
                    ":countTokens",
                    ":embedContent",
                    ":batchEmbedContents",
                ]
            } else {
                &[""]
            };
            for verb in verbs {
                let path = path.replace("{*model}", "{model}");
                found.push((method, format!("{path}{verb}")));
            }
        }
    }
    found
}

#[test]
fn every_route_of_model_calls_is_described() {
    let app = TestApp::start();
    let document = get(app.address, "/api/openapi.json").json();
    let routes = call_routes();
    assert!(routes.len() > 30, "{routes:?}");
    for (method, path) in &routes {
        let operation = &document["paths"][path][method];
        assert!(operation.is_object(), "{method} {path} is not described");
        assert_eq!(
            operation["security"].as_array().map(Vec::len),
            Some(4),
            "{path}"
        );
        let is_described = !operation["responses"]["200"]["content"].is_null()
            || !operation["responses"]["101"].is_null();
        assert!(is_described, "{method} {path} says nothing of its answer");
    }
    let paths = document["paths"].as_object().expect("paths");
    let described = paths.iter().filter(|(path, _)| !path.starts_with("/api/"));
    let described: usize = described
        .map(|(_, methods)| methods.as_object().map_or(0, serde_json::Map::len))
        .sum();
    assert_eq!(
        described,
        routes.len(),
        "the document describes what is not there"
    );
    let stream = &document["paths"]["/v1/chat/completions"]["post"]["responses"]["200"]["content"];
    assert!(stream["text/event-stream"].is_object());
    let edit = &document["paths"]["/v1/images/edits"]["post"]["requestBody"];
    for (media, name) in [
        ("multipart/form-data", "ImageEditForm"),
        ("application/json", "ImageEditRequest"),
    ] {
        let schema = edit["content"][media]["schema"]["$ref"].as_str();
        assert!(schema.is_some_and(|it| it.ends_with(name)), "{edit}");
    }
}

#[test]
fn the_document_is_served_and_describes_what_is_served() {
    let app = TestApp::start();
    let document = get(app.address, "/api/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let login = &document["paths"]["/api/user/login/2fa"]["post"];
    let body = &login["requestBody"]["content"]["application/json"]["schema"]["$ref"];
    assert_eq!(body, "#/components/schemas/CodeInput");
    let code = &document["components"]["schemas"]["CodeInput"];
    assert_eq!(code["required"], serde_json::json!(["code"]));
}

#[test]
fn the_page_can_be_read_offline() {
    let app = TestApp::start();
    for path in ["/docs", "/docs/"] {
        let page = get(app.address, path);
        assert_eq!(page.status, 200);
        assert_eq!(
            page.header("content-type"),
            Some("text/html; charset=utf-8")
        );
        let policy = page.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'self'"), "{policy}");
        assert!(page.body.contains("/api/user/login/2fa"));
        assert!(page.body.contains("/v1/chat/completions"));
    }
}
