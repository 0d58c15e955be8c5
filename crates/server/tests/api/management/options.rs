//! Settings: what is in effect, where it was set, and no secret; and changes, which count at once.

use serde_json::{Value, json};

use crate::support::{Browser, Office, ROOT_PASSWORD};

fn option(office: &Office, key: &str) -> Value {
    let options = office.administrator.get("/api/option/").data();
    let all = options.as_array().expect("a list");
    let found = all.iter().find(|option| option["key"] == key);
    found.unwrap_or_else(|| panic!("{key}")).clone()
}

#[test]
fn a_changed_setting_is_in_effect_at_once_and_can_be_taken_back() {
    let office = Office::with("[login]\npassword_length = 10\n");
    let put = |values: Value| office.root.put("/api/option/", &json!({"values": values}));
    let changed = put(json!({"login.password_length": 20, "registration.enabled": false})).data();
    assert_eq!(changed[0]["key"], "login.password_length");
    assert_eq!(
        (&changed[0]["value"], &changed[0]["origin"]),
        (&json!(20), &json!("database"))
    );
    let status = office.nobody.get("/api/status").data();
    assert_eq!(
        (&status["password_length"], &status["registration"]),
        (&json!(20), &json!(false))
    );
    let back = put(json!({"login.password_length": null})).data();
    assert_eq!(
        (&back[0]["value"], &back[0]["origin"]),
        (&json!(10), &json!("file"))
    );
    let audit = office
        .administrator
        .get("/api/audit/?action=option.update")
        .data();
    let entries = audit["items"].as_array().expect("entries");
    assert_eq!(entries.len(), 2);
    assert_eq!(
        entries[0]["changes"],
        json!({"login.password_length": {"from": 20, "to": 10}})
    );
    assert_eq!(put(json!({"login.password_length": null})).status, 200);
    let audit = office
        .administrator
        .get("/api/audit/?action=option.update")
        .data();
    assert_eq!(
        audit["items"].as_array().map(Vec::len),
        Some(2),
        "nothing changed"
    );
}

#[test]
fn a_call_changes_all_settings_that_it_names_or_none() {
    let office = Office::open();
    let refused = |values: Value| {
        let reply = office.root.put("/api/option/", &json!({"values": values}));
        reply.refusal()
    };
    for (values, words) in [
        (json!({}), "values: must name a setting"),
        (
            json!({"login.failure": 3}),
            "login.failure: there is no such setting; did you mean \"login.failures\"?",
        ),
        (
            json!({"console.name": "x", "login.failures": 0}),
            "login.failures: must be at least 1",
        ),
        (
            json!({"login.failures": "many"}),
            "login.failures: invalid type",
        ),
        (
            json!({"mail.security": "none of them"}),
            "mail.security: unknown variant",
        ),
        (
            json!({"mail.username": "post"}),
            "mail.username: username and password must be set together",
        ),
        (
            json!({"console.name": {"a": 1}}),
            "console.name: must be a text",
        ),
        (json!({"mail.password": 5}), "mail.password: must be a text"),
        (
            json!({"console.name": "x".repeat(9000)}),
            "console.name: is too long",
        ),
    ] {
        let (status, code, message) = refused(values.clone());
        assert_eq!(
            (status, code.as_str()),
            (400, "invalid_request"),
            "{values}"
        );
        assert!(message.starts_with(words), "{values}: {message}");
    }
    for key in [
        "server.listen",
        "server.trusted_proxies",
        "billing.lease_s",
        "secrets.master_key",
    ] {
        let (status, code, message) = refused(json!({"console.name": "x", key: "1"}));
        assert_eq!(
            (status, code.as_str()),
            (409, "setting_locked"),
            "{message}"
        );
        assert!(
            message.starts_with(&format!("{key}: cannot be changed here.")),
            "{message}"
        );
    }
    assert_eq!(option(&office, "console.name")["value"], "Modelgate");
    let body = json!({"values": {"console.name": "x"}});
    assert_eq!(office.administrator.put("/api/option/", &body).status, 403);
    assert_eq!(
        office.root.put("/api/option/", &json!({})).refusal().2,
        "values: is required"
    );
}

#[test]
fn a_secret_is_stored_encrypted_and_shown_to_nobody() {
    let office = Office::open();
    let values = json!({"mail.username": "post", "mail.password": "canary-of-the-mail",
        "payments.stripe.webhook_secret": "whsec_canary_stored"});
    let reply = office.root.put("/api/option/", &json!({"values": values}));
    assert!(!reply.body.contains("canary"), "{}", reply.body);
    let password = option(&office, "mail.password");
    assert_eq!(
        (&password["secret"], &password["is_set"], &password["value"]),
        (&json!(true), &json!(true), &Value::Null)
    );
    let config = office.app.app.config_in_full();
    assert_eq!(
        config.mail.password.as_ref().unwrap().expose(),
        "canary-of-the-mail"
    );
    let audit = office.administrator.get("/api/audit/");
    assert!(!audit.body.contains("canary"), "{}", audit.body);
    assert!(
        audit
            .body
            .contains("\"mail.password\":{\"from\":\"not set\",\"to\":\"changed\"}")
    );
    let bytes = office.app.record_bytes();
    let is_there = |text: &[u8]| bytes.windows(text.len()).any(|window| window == text);
    assert!(is_there(b"mail.password") && !is_there(b"canary-of-the-mail"));
    // An empty text is what a form sends that was not touched.
    let same = json!({"values": {"mail.password": ""}});
    office.root.put("/api/option/", &same).data();
    assert_eq!(option(&office, "mail.password")["is_set"], true);
    let gone = json!({"values": {"mail.password": null, "mail.username": null}});
    office.root.put("/api/option/", &gone).data();
    assert_eq!(option(&office, "mail.password")["is_set"], false);
}

#[test]
fn a_mail_password_goes_to_no_other_server() {
    let office = Office::open();
    let put = |values: Value| office.root.put("/api/option/", &json!({"values": values}));
    let server =
        json!({"mail.host": "mail.example", "mail.username": "post", "mail.password": "stamp"});
    put(server).data();
    for values in [
        json!({"mail.host": "elsewhere.example"}),
        json!({"mail.security": "none", "mail.password": ""}),
    ] {
        let (status, _, text) = put(values).refusal();
        let told = "mail.password: must be sent again with another mail server";
        assert_eq!((status, text.as_str()), (400, told));
    }
    put(json!({"mail.host": "elsewhere.example", "mail.password": "stamp"})).data();
    put(json!({"mail.from": "Post <post@elsewhere.example>"})).data();
}

#[test]
fn set_up_decides_whom_the_service_is_for() {
    use server::accounts::offer_setup_code;
    let gate = crate::support::TestApp::start();
    let app = &gate.app;
    let offer = offer_setup_code(app.store(), app.keys(), app.clock(), app.randomness());
    let code = tokio::runtime::Runtime::new().unwrap().block_on(offer);
    let code = code.expect("the records work").expect("a code");
    let browser = Browser::new(gate.address);
    assert_eq!(browser.get("/api/status").data()["mode"], Value::Null);
    let body = json!({"code": code, "username": "root", "password": ROOT_PASSWORD, "mode": "team"});
    browser.post("/api/setup", &body).data();
    let status = browser.get("/api/status").data();
    assert_eq!(
        (&status["mode"], &status["registration"]),
        (&json!("team"), &json!(false))
    );
}

#[test]
fn settings_say_where_they_come_from_and_keep_secrets() {
    let office = Office::with(
        "[server]\ngrace_s = 7\n[payments.stripe]\nsecret_key = \"sk_live_canary\"\n\
         webhook_secret = \"whsec_canary\"\n",
    );
    let reply = office.administrator.get("/api/option/");
    assert!(!reply.body.contains("canary"), "{}", reply.body);
    let options = reply.data();
    let find = |key: &str| {
        let all = options.as_array().unwrap();
        let found = all.iter().find(|option| option["key"] == key);
        found.unwrap_or_else(|| panic!("{key}")).clone()
    };
    let grace = find("server.grace_s");
    assert_eq!(
        (
            &grace["value"],
            &grace["default"],
            &grace["origin"],
            &grace["type"]
        ),
        (&7.into(), &30.into(), &"file".into(), &"number".into())
    );
    assert_eq!(grace["environment"], "MODELGATE_SERVER__GRACE_S");
    let key = find("payments.stripe.secret_key");
    assert_eq!(
        (&key["secret"], key["value"].is_null()),
        (&true.into(), true)
    );
    assert_eq!(find("limits.rpm")["origin"], "default");
    assert_eq!(find("server.listen")["needs_restart"], true);
    assert_eq!(find("server.listen")["writable"], false);
    assert_eq!(find("limits.rpm")["writable"], true);
    assert_eq!(
        find("mail.security")["choices"],
        json!(["starttls", "tls", "none"])
    );
    assert_eq!(find("mail.security")["page"], "e-mail");
    let unset = find("mail.password");
    assert_eq!(
        (&unset["secret"], &unset["is_set"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(find("installation.is_demo")["origin"], "database");
    assert_eq!(office.user.get("/api/option/").status, 403);
}
