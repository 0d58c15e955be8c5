//! Incidents: opened by rule, once for a cause; closed by recovery; what people do about them.

use serde_json::{Value, json};
use server::incidents::Watch;
use testkit::Reply as Scripted;

use super::hex;
use super::site::{Site, kinds};

fn signature(body: &[u8], time: &str) -> String {
    use hmac::{Hmac, KeyInit as _, Mac as _};
    let mut mac = Hmac::<sha2::Sha256>::new_from_slice(b"whsec_site").expect("any length");
    mac.update(format!("{time}.").as_bytes());
    mac.update(body);
    let digits = mac.finalize().into_bytes();
    hex(&digits)
}

/// Makes the demo channel fail until that is an incident; gives its id.
pub(super) fn break_down(site: &mut Site) -> i64 {
    site.set_faults(&json!({"status": 500}));
    for _ in 0..6 {
        assert!(site.call(&[]).status >= 500);
    }
    site.look_after(0);
    assert!(site.incidents("").is_empty(), "it has not lasted yet");
    site.look_after(10);
    let found = site.incidents("?rule=channel_down");
    assert_eq!(found.len(), 1, "{found:?}");
    found[0]["id"].as_i64().expect("an id")
}

#[test]
fn a_broken_channel_opens_one_incident_that_is_told_once_and_closes_by_itself() {
    let mut site = Site::open();
    let id = break_down(&mut site);
    let open = site.incident(id);
    assert_eq!(open["incident"]["severity"], "critical", "{open}");
    assert_eq!(open["incident"]["state"], "open");
    assert_eq!(open["incident"]["channel_id"], site.channel());
    let reason = open["incident"]["facts"]["reason"].as_str().unwrap();
    assert!(reason.contains("server_error"), "{reason}");
    let name = &open["incident"]["channel"];
    assert_eq!(&open["incident"]["facts"]["channel"], name);
    assert_eq!(open["incident"]["is_seen"], true);
    let found = &open["timeline"][1]["note"];
    assert_eq!(found["code"], "found", "{open}");
    assert_eq!(found["values"]["facts"]["reason"], reason);
    // Another node that sees the same opens no other.
    let mut other = Watch::new(&site.office.app.app);
    std::mem::swap(&mut other, &mut site.watch);
    site.look_after(1);
    site.look_after(10);
    assert_eq!(site.incidents("?rule=channel_down").len(), 1);
    let unserved = site.incidents("?rule=model_unserved&severity=critical&state=open");
    assert_eq!(unserved.len(), 1, "nobody else serves its models");

    site.deliver();
    site.deliver();
    let told = site.told();
    let about = |id: i64| {
        let is_about = move |message: &Value| message["incident"]["id"] == id;
        let messages = told.iter().map(testkit::RecordedRequest::json);
        messages.filter(is_about).collect::<Vec<_>>()
    };
    let messages = about(id);
    assert_eq!(messages.len(), 1);
    assert_eq!(messages[0]["event"], "opened");
    for request in &told {
        let header = request.header("modelgate-signature").unwrap();
        let (time, digits) = header
            .strip_prefix("t=")
            .unwrap()
            .split_once(",v1=")
            .unwrap();
        assert_eq!(digits, signature(&request.body, time));
    }

    site.set_faults(&json!({}));
    assert_eq!(site.call(&[]).status, 200);
    site.look_after(30);
    assert_eq!(site.incident(id)["incident"]["state"], "open", "not yet");
    assert_eq!(site.incident(id)["incident"]["is_seen"], false);
    site.look_after(31);
    let closed = site.incident(id);
    assert_eq!(closed["incident"]["state"], "closed");
    assert_eq!(closed["incident"]["closed_by"], Value::Null);
    site.deliver();
    site.deliver();
    let told = site.told();
    let closings = told.iter().map(testkit::RecordedRequest::json);
    let closings =
        closings.filter(|told| told["event"] == "closed" && told["incident"]["id"] == id);
    assert_eq!(closings.count(), 1);
    let closed = site.incident(id);
    let timeline = kinds(&closed).join(" ");
    assert_eq!(
        timeline,
        "paused opened notified unpaused recovered notified"
    );
    let notes = closed["timeline"].as_array().unwrap().iter();
    let codes: Vec<_> = notes.map(|event| event["note"]["code"].as_str()).collect();
    let expected = ["channel_paused", "found", "told_open", "channel_unpaused"];
    assert_eq!(codes[..4], expected.map(Some));
    assert_eq!(codes[4..], ["unseen", "told_closed"].map(Some));
    assert!(site.incidents("?state=open&rule=channel_down").is_empty());
}

#[test]
fn people_note_acknowledge_drain_and_resolve_and_the_audit_log_has_it() {
    let mut site = Site::open();
    let id = break_down(&mut site);
    let boss = &site.office.administrator;
    let path = |act: &str| format!("/api/incident/{id}/{act}");
    boss.post(&path("note"), &json!({"text": " Asked the vendor. "}))
        .data();
    boss.post(&path("acknowledge"), &json!({})).data();
    let twice = boss.post(&path("acknowledge"), &json!({})).data();
    assert_eq!(twice["incident"]["acknowledged_by"], "adam");
    let state = format!("/api/channel/{}/state", site.channel());
    let drain = json!({"state": "draining", "reason": "vendor broken"});
    boss.post(&state, &drain).data();
    boss.post(&state, &json!({"state": "on"})).data();
    let done = boss
        .post(&path("resolve"), &json!({"text": "Theirs."}))
        .data();
    assert_eq!(done["incident"]["closed_by"], "adam");
    let timeline = kinds(&done).join(" ");
    assert_eq!(
        timeline,
        "paused opened note acknowledged drained resumed resolved"
    );
    assert_eq!(done["timeline"][2]["message"], "Asked the vendor.");
    assert_eq!(done["timeline"][2]["note"], Value::Null, "it is a person's");
    assert_eq!(done["timeline"][4]["message"], "vendor broken");
    assert_eq!(boss.post(&path("resolve"), &json!({})).refusal().0, 409);
    assert_eq!(boss.post(&path("acknowledge"), &json!({})).refusal().0, 409);
    assert_eq!(
        boss.post(&path("note"), &json!({"text": " "})).refusal().0,
        400
    );
    assert_eq!(boss.post(&path("note"), &json!({})).refusal().0, 400);
    assert_eq!(boss.get("/api/incident/999").refusal().0, 404);
    assert_eq!(boss.get("/api/incident/?state=both").refusal().0, 400);
    let audit = boss.get("/api/audit/?object_kind=incident").data();
    let acts = audit["items"].as_array().unwrap().iter();
    let acts: Vec<_> = acts
        .map(|entry| entry["action"].as_str().unwrap())
        .collect();
    let expected = ["incident.resolve", "incident.acknowledge", "incident.note"];
    assert_eq!(acts, expected);
    // Whoever closed it knows: it stays quiet for a while.
    site.look_after(1);
    site.look_after(11);
    assert_eq!(site.incidents("?rule=channel_down").len(), 1);
}

#[test]
fn a_share_of_failing_calls_opens_incidents_of_the_model_and_of_all() {
    let mut site = Site::with("[incidents]\nerror_calls = 8\nerror_percent = 50\n");
    for _ in 0..4 {
        assert_eq!(site.call(&[]).status, 200);
        assert!(site.call(&[("x-modelgate-demo", "status=500")]).status >= 500);
    }
    site.look_after(5);
    for rule in ["error_rate", "model_error_rate"] {
        let found = site.incidents(&format!("?rule={rule}"));
        assert_eq!(found.len(), 1, "{rule}");
        assert_eq!(found[0]["facts"]["percent"], 50);
        let detail = site.incident(found[0]["id"].as_i64().expect("an id"));
        let affected = &detail["affected"];
        assert_eq!(
            (&affected["requests"], &affected["errors"]),
            (&json!(8), &json!(4))
        );
        assert_eq!(affected["users"][0]["name"], "root", "{affected}");
        assert_eq!(affected["tokens"][0]["name"], "caller", "{affected}");
        assert_eq!(affected["models"][0]["name"], "demo-chat");
        assert_eq!(affected["channels"][0]["errors"], 4);
    }
    for _ in 0..40 {
        assert_eq!(site.call(&[]).status, 200);
    }
    site.look_after(30);
    site.look_after(61);
    assert!(site.incidents("?state=open").is_empty());
}

#[test]
fn an_incident_tells_what_upstreams_said_and_what_the_gateway_did_about_it() {
    let mut site = Site::open();
    let calls = |site: &Site, count: usize| {
        for _ in 0..count {
            site.call(&[]);
        }
    };
    let upstream = site.receiver.url("/v1");
    let refused =
        json!({"error": {"message": "no such key", "type": "x", "code": "invalid_api_key"}});
    let scripted = Scripted::json(&refused).status(401);
    site.receiver.on("/v1/chat/completions", scripted);
    let vendor = json!({"name": "vendor", "type": "openai", "base_url": upstream, "priority": 9,
        "keys": ["sk-first-canary", "sk-second-canary"], "models": ["demo-chat"]});
    let vendor = site.office.root.post("/api/channel/", &vendor).data();
    calls(&site, 3);
    site.look_after(1);
    site.look_after(11);
    let found = site.incidents("?rule=channel_down");
    let detail = site.incident(found[0]["id"].as_i64().expect("an id"));
    assert_eq!(detail["incident"]["channel_id"], vendor["id"], "{detail}");

    // Both keys were refused, on calls that the demo channel saved.
    let acts: Vec<&str> = detail["timeline"]
        .as_array()
        .expect("a list")
        .iter()
        .filter(|event| event["kind"] == "paused")
        .filter_map(|event| event["message"].as_str())
        .collect();
    assert_eq!(acts.len(), 2, "{acts:?}");
    for key in ["Key 1 of 2: ", "Key 2 of 2: "] {
        let said = acts.iter().find(|text| text.starts_with(key));
        assert!(
            said.is_some_and(|text| text.contains("no such key")),
            "{acts:?}"
        );
    }
    let causes = detail["causes"].as_array().expect("a list");
    assert_eq!(causes.len(), 1, "{causes:?}");
    let cause = &causes[0];
    assert_eq!(
        (
            &cause["channel"],
            &cause["status"],
            &cause["tries"],
            &cause["key_indexes"]
        ),
        (&json!("vendor"), &json!(401), &json!(2), &json!([0, 1]))
    );
    assert!(cause["sample"].as_str().unwrap().contains("no such key"));
    let call = format!("/api/log/{}", cause["request_id"].as_str().unwrap());
    assert_eq!(site.office.root.get(&call).data()["status"], 200);
    assert!(!detail.to_string().contains("canary"));
}

#[test]
fn rules_can_be_switched_off() {
    let text = "[incidents]\noff = [\"channel_down\", \"model_unserved\"]\nerror_calls = 1000\n";
    let mut site = Site::with(text);
    site.set_faults(&json!({"status": 500}));
    for _ in 0..6 {
        site.call(&[]);
    }
    site.look_after(0);
    site.look_after(20);
    let open = site.incidents("");
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn a_certificate_that_ends_soon_and_a_lost_node_are_incidents() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/api/fixtures");
    let mut site = Site::open();
    let now = site.office.app.clock.now_ms();
    site.office.records(async |store| {
        let transaction = store.write().await.unwrap();
        for (id, age) in [
            ("lost", 120_000),
            ("stopped", 120_000),
            ("old", 200_000_000),
        ] {
            let node = store::nodes::Node {
                id: id.to_owned(),
                version: "1".to_owned(),
                started_at: 0,
                heartbeat_at: now - age,
                has_journal: false,
                stopped_at: None,
            };
            store::nodes::heartbeat(&transaction, &node).await.unwrap();
        }
        store::nodes::stopped(&transaction, "stopped", now)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
    });
    let text = format!(
        "[server]\ntls_cert = \"{fixtures}/localhost-cert.pem\"\n\
         tls_key = \"{fixtures}/localhost-key.pem\"\n[incidents]\ncertificate_days = 40000\n"
    );
    let config = server::config::Config::from_text(&text).unwrap();
    site.office.app.app.set_config(config);
    site.look_after(1);
    let found = site.incidents("?state=open");
    let mut about: Vec<_> = found
        .iter()
        .map(|one| format!("{} {}", one["rule"].as_str().unwrap(), one["facts"]["node"]))
        .collect();
    about.sort_unstable();
    assert_eq!(about, ["certificate_expiring null", "node_lost \"lost\""]);
}
