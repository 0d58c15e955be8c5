//! Alerts: tried again for a while, given up in the end, kept from private addresses, and tested.

use serde_json::{Value, json};
use testkit::Reply as Scripted;

use super::site::{HOOK, Site, kinds};
use crate::support::MailSink;

fn open_one(site: &mut Site) -> i64 {
    site.set_faults(&json!({"status": 500}));
    for _ in 0..6 {
        site.call(&[]);
    }
    site.look_after(0);
    site.look_after(10);
    let found = site.incidents("?rule=channel_down");
    found[0]["id"].as_i64().expect("an id")
}

const QUIET: &str = "[outbound]\nallow_private = [\"127.0.0.0/8\"]\n\
                     [incidents]\noff = [\"model_unserved\"]\nerror_calls = 1000\n";

#[test]
fn a_receiver_that_fails_is_tried_again_and_then_given_up() {
    let mut site = Site::with(QUIET);
    site.receiver
        .on(HOOK, Scripted::json(&json!({})).status(500));
    let id = open_one(&mut site);
    let mut tries = Vec::new();
    for _ in 0..400 {
        site.deliver();
        tries.push(site.told().len());
        site.office
            .app
            .clock
            .advance(std::time::Duration::from_secs(10));
    }
    assert_eq!(tries[0], 1);
    assert_eq!(*tries.last().unwrap(), 6, "bounded");
    assert_eq!(tries[1], 2, "soon at first");
    assert_eq!((tries[3], tries[4]), (2, 3), "later after that");
    let detail = site.incident(id);
    assert_eq!(kinds(&detail), ["paused", "opened", "notify_failed"]);
    let message = detail["timeline"][2]["message"].as_str().unwrap();
    assert!(message.contains("status 500"), "{message}");
}

#[test]
fn a_receiver_that_comes_back_is_told_once() {
    let mut site = Site::with(QUIET);
    let replies = [Scripted::nothing(), Scripted::json(&json!({}))];
    site.receiver.on_each(HOOK, replies);
    let id = open_one(&mut site);
    site.deliver();
    site.office
        .app
        .clock
        .advance(std::time::Duration::from_secs(10));
    site.deliver();
    site.deliver();
    assert_eq!(site.told().len(), 2);
    assert_eq!(kinds(&site.incident(id)), ["paused", "opened", "notified"]);
}

#[test]
fn the_test_tells_how_it_went_with_each_receiver() {
    let site = Site::with(
        "mail_to = [\"night@example.org\"]\n[outbound]\nallow_private = [\"127.0.0.0/8\"]\n",
    );
    let tested = site
        .office
        .administrator
        .post("/api/incident/test", &json!({}));
    let tested = tested.data();
    assert_eq!(
        tested[0],
        json!({"target": "webhook", "is_sent": true, "error": null})
    );
    assert_eq!(tested[1]["target"], "mail:night@example.org");
    assert_eq!(tested[1]["error"], "no mail server is configured");
    let told = site.told();
    assert_eq!((told.len(), &told[0].json()["event"]), (1, &json!("test")));
}

#[test]
fn a_chat_service_gets_a_text_and_its_refusals_are_seen() {
    let open = "[outbound]\nallow_private = [\"127.0.0.0/8\"]\n";
    let site = Site::with(&format!("webhook_format = \"feishu\"\n{open}"));
    let refused = json!({"code": 19001, "msg": "param invalid"});
    let replies = [
        Scripted::json(&json!({"code": 0})),
        Scripted::json(&refused),
    ];
    site.receiver.on_each(HOOK, replies);
    let tried = || {
        let path = "/api/incident/test";
        site.office.administrator.post(path, &json!({})).data()[0].clone()
    };
    assert_eq!(tried()["is_sent"], true);
    let told = site.told();
    let document = told[0].json();
    let text = document["content"]["text"].as_str().expect("a text");
    assert!(text.starts_with("[Modelgate] test: "), "{text}");
    assert_eq!(told[0].header("modelgate-signature"), None);
    let failed = tried();
    assert_eq!(failed["error"], "the receiver answered with the code 19001");
}

#[test]
fn alerts_do_not_go_to_private_addresses_unless_the_operator_allows_it() {
    let site = Site::with("");
    let tested = site
        .office
        .administrator
        .post("/api/incident/test", &json!({}));
    let tested = tested.data();
    assert_eq!(tested[0]["is_sent"], false);
    assert_ne!(tested[0]["error"], Value::Null);
    assert!(site.told().is_empty());
}

#[test]
fn only_what_is_bad_enough_is_told() {
    let mut site = Site::with(&format!("least = \"critical\"\n{QUIET}"));
    // A second channel serves the same models: the service copes.
    let channel = json!({"name": "spare", "type": "demo", "models": ["demo-chat"],
        "priority": -1, "key": "none"});
    let made = site.office.administrator.post("/api/channel/", &channel);
    assert_eq!(made.status, 200, "{made:?}");
    let models = json!({"id": site.channel(), "models": ["demo-chat"]});
    site.office
        .administrator
        .put("/api/channel/", &models)
        .data();
    let id = open_one(&mut site);
    site.deliver();
    assert!(site.told().is_empty());
    assert_eq!(site.incident(id)["incident"]["severity"], "warning");
    assert_eq!(kinds(&site.incident(id)), ["paused", "opened"]);
}

#[test]
fn people_are_told_by_mail_when_it_begins_and_when_it_is_over() {
    let sink = MailSink::open();
    let mail = sink.configuration();
    let mut site = Site::with(&format!("mail_to = [\"night@example.org\"]\n{mail}{QUIET}"));
    let id = open_one(&mut site);
    site.deliver();
    let opened = sink.next();
    for words in [
        "To: night@example.org",
        "critical: Channel demo is down",
        "channel_down",
    ] {
        assert!(opened.contains(words), "{opened}");
    }
    site.set_faults(&json!({}));
    site.look_after(1);
    site.look_after(61);
    site.deliver();
    assert!(sink.next().contains("over: Channel demo is down"));
    let timeline = kinds(&site.incident(id)).join(" ");
    assert_eq!(
        timeline,
        "paused opened notified notified unpaused recovered notified notified"
    );
}
