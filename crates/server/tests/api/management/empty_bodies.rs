//! An empty object to the calls that scripts know best: refused, with words that help.

use serde_json::json;

use crate::support::{Actor, Office};

#[test]
fn an_empty_object_is_refused_with_what_is_missing() {
    let office = Office::open();
    let signature = "There is no signature of a known payment provider.";
    for (method, path, actor, words) in [
        (
            "PUT",
            "/api/user/",
            &office.administrator,
            "id: is required",
        ),
        (
            "POST",
            "/api/user/login/2fa",
            &office.nobody,
            "code: is required",
        ),
        (
            "POST",
            "/api/user/aff_transfer",
            &office.user,
            "quota: is required",
        ),
        (
            "PUT",
            "/api/channel/",
            &office.administrator,
            "id: is required",
        ),
        ("POST", "/api/payment/webhook", &office.nobody, signature),
    ] {
        let by = |actor: &Actor| actor.call(method, path, Some(&json!({}))).refusal();
        let (status, code, message) = by(actor);
        assert_eq!(
            (status, code.as_str()),
            (400, "invalid_request"),
            "{method} {path}"
        );
        assert_eq!(message, words, "{method} {path}");
        let is_for_anyone = actor.token.is_none();
        let expected = if is_for_anyone { 400 } else { 401 };
        assert_eq!(by(&office.nobody).0, expected, "{method} {path}");
    }
    for path in ["/api/user/", "/api/channel/"] {
        let refused = office.user.put(path, &json!({})).refusal();
        assert_eq!(refused.0, 403, "{path}");
    }
}
