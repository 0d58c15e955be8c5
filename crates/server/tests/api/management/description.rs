//! The description of the interface: the document and the page.

use crate::support::{TestApp, get};

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
    }
}
