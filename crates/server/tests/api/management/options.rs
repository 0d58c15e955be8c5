//! Settings: what is in effect, where it was set, and no secret.

use crate::support::Office;

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
    assert_eq!(find("installation.is_demo")["origin"], "database");
    assert_eq!(office.user.get("/api/option/").status, 403);
}
