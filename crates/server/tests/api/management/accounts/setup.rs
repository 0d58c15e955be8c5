//! Set-up through the setup link.

use serde_json::json;
use server::accounts::offer_setup_code;

use super::support::PASSWORD;
use crate::support::{Browser, TestApp};

fn code(app: &TestApp) -> String {
    let offered = async {
        let app = &app.app;
        offer_setup_code(app.store(), app.keys(), app.clock(), app.randomness()).await
    };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime
        .block_on(offered)
        .expect("the records work")
        .expect("a code")
}

#[test]
fn the_code_makes_root_once() {
    let app = TestApp::start();
    let browser = Browser::new(app.address);
    assert_eq!(browser.get("/api/setup").data()["is_set_up"], false);
    assert_eq!(browser.get("/api/status/").data()["is_set_up"], false);
    let code = code(&app);
    let body = json!({"code": code, "username": "boss", "password": PASSWORD, "demo": true});
    let root = browser.post("/api/setup", &body).data();
    assert_eq!(
        (&root["role"], &root["quota_usd"]),
        (&json!(100), &json!("100"))
    );
    assert_eq!(browser.get("/api/user/self").data()["username"], "boss");
    assert_eq!(browser.get("/api/setup").data()["is_set_up"], true);
    assert_eq!(browser.post("/api/setup", &body).refusal().0, 409);
}

#[test]
fn without_the_code_nobody_claims_the_instance_and_with_it_always() {
    let app = TestApp::start();
    let right = code(&app);
    let browser = Browser::new(app.address);
    let (status, _, message) = browser.post("/api/setup", &json!({})).refusal();
    assert_eq!(status, 400);
    assert!(
        message.contains("code: is required; username: is required"),
        "{message}"
    );
    let body = json!({"code": "guess", "username": "boss", "password": PASSWORD});
    for _ in 0..5 {
        assert_eq!(
            browser.post("/api/setup", &body).refusal().1,
            "setup_code_wrong"
        );
    }
    let body = json!({"code": right, "username": "boss", "password": PASSWORD});
    let wrong = json!({"code": "guess", "username": "boss", "password": PASSWORD});
    assert_eq!(browser.post("/api/setup", &wrong).status, 429, "throttled");
    assert_eq!(browser.get("/api/setup").data()["is_set_up"], false);
    browser.post("/api/setup", &body).data();
}

#[test]
fn nobody_registers_before_set_up() {
    let app = TestApp::start();
    let body = json!({"username": "ann", "password": PASSWORD});
    let refused = Browser::new(app.address)
        .post("/api/user/register", &body)
        .refusal();
    assert_eq!(refused.0, 409);
}
