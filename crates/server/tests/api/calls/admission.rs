//! Every route of the model-call interface asks for a token before anything else. The routes are
//! taken from the tables themselves, so that one that is added cannot be forgotten here.

use crate::support::{TestApp, send};

const ENDPOINTS: &str = include_str!("../../../src/model_call/endpoints.rs");
const TABLE: &str = include_str!("../../../src/model_call/routes.rs");

/// Method and path of every route in the tables.
fn routes() -> Vec<(&'static str, String)> {
    let path_of = |entry: &'static str| entry.split('"').nth(1).expect("a path");
    let fixed = ENDPOINTS.split("    post(").skip(1);
    let mut found: Vec<_> = fixed.map(|it| ("POST", path_of(it).to_owned())).collect();
    for entry in TABLE.split(".route(").skip(1) {
        let path = path_of(entry);
        let handlers = entry.split_once(path).expect("handlers").1;
        for (method, word) in [("POST", "post("), ("GET", "get("), ("DELETE", "delete(")] {
            if handlers.contains(word) {
                let model = match method {
                    "POST" => "m:generateContent",
                    _ => "m",
                };
                let path = path.replace("{*model}", model).replace("{id}", "x");
                found.push((method, path));
            }
        }
    }
    found
}

#[test]
fn no_route_answers_who_has_no_token() {
    let routes = routes();
    assert!(routes.len() > 20, "{routes:?}");
    let gate = TestApp::start();
    for (method, path) in routes {
        for header in [
            ("x-other", "1"),
            ("authorization", "Bearer sk-unknown-token-1"),
        ] {
            let line = format!("{method} {path}");
            let json = ("content-type", "application/json");
            let reply = send(gate.address, &line, &[header, json], "");
            assert_eq!(reply.status, 401, "{line}: {}", reply.body);
            assert!(reply.json()["error"].is_object(), "{line}: {}", reply.body);
        }
    }
}
