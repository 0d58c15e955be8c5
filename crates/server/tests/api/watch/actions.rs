//! What people do against an incident from its own page.

use serde_json::{Value, json};

use super::incidents::break_down;
use super::site::{Site, kinds};

fn priority(site: &Site, channel: i64) -> Value {
    let path = format!("/api/channel/{channel}");
    site.office.administrator.get(&path).data()["priority"].clone()
}

#[test]
fn channels_swap_their_priority_in_one_step_and_the_timeline_says_so() {
    let mut site = Site::open();
    let id = break_down(&mut site);
    let own = site.channel();
    let boss = &site.office.administrator;
    let spare = json!({"name": "spare", "type": "demo", "models": ["demo-chat"], "priority": -3});
    let spare = boss.post("/api/channel/", &spare).data()["id"]
        .as_i64()
        .expect("an id");
    let before = priority(&site, own);
    let path = format!("/api/incident/{id}/action");
    let act = |body: &Value| boss.post(&path, body);

    let swap = |with: i64| json!({"action": "swap_priority", "channel_id": with});
    let done = act(&swap(spare)).data();
    assert_eq!(kinds(&done).last(), Some(&"reordered"), "{done}");
    let entry = done["timeline"].as_array().unwrap().last().unwrap();
    assert_eq!(entry["actor"], "adam");
    assert!(entry["message"].as_str().unwrap().contains("spare has 0."));
    assert_eq!(
        (priority(&site, own), priority(&site, spare)),
        (json!(-3), before)
    );
    let audit = boss.get("/api/audit/?action=channel.update").data();
    let changed = audit["items"].as_array().unwrap().iter();
    let changed = changed.filter(|entry| entry["changes"]["priority"].is_object());
    assert_eq!(changed.count(), 2, "{audit}");

    assert_eq!(act(&swap(own)).refusal().0, 400);
    assert_eq!(act(&swap(999)).refusal().0, 404);
    assert_eq!(
        act(&json!({"action": "swap_priority"})).refusal().2,
        "channel_id: is required"
    );
    boss.put("/api/channel/", &json!({"id": spare, "priority": -3}))
        .data();
    assert_eq!(act(&swap(spare)).refusal().0, 409, "nothing to swap");
}

#[test]
fn an_incidents_channel_is_drained_stopped_and_resumed_until_it_is_closed() {
    let mut site = Site::open();
    let id = break_down(&mut site);
    let boss = &site.office.administrator;
    let path = format!("/api/incident/{id}/action");
    for (action, state, kind) in [
        ("drain", "draining", "drained"),
        ("stop", "off", "stopped"),
        ("resume", "on", "resumed"),
    ] {
        let done = boss.post(&path, &json!({"action": action})).data();
        assert_eq!(kinds(&done).last(), Some(&kind), "{done}");
        let channel = format!("/api/channel/{}", site.channel());
        let channel = boss.get(&channel).data();
        assert_eq!(channel["state"], state, "{channel}");
    }
    assert_eq!(
        boss.post(&path, &json!({"action": "pray"})).refusal().0,
        400
    );
    boss.post(&format!("/api/incident/{id}/resolve"), &json!({}))
        .data();
    let late = boss.post(&path, &json!({"action": "drain"}));
    assert_eq!(late.refusal().0, 409);
}

#[test]
fn root_alone_lets_calls_try_more_upstreams() {
    let mut site = Site::open();
    let id = break_down(&mut site);
    let office = &site.office;
    let path = format!("/api/incident/{id}/action");
    let raise = |attempts: usize| json!({"action": "raise_attempts", "attempts": attempts});
    assert_eq!(office.administrator.post(&path, &raise(9)).refusal().0, 403);
    for wrong in [6, 21] {
        assert_eq!(office.root.post(&path, &raise(wrong)).refusal().0, 400);
    }
    let done = office.root.post(&path, &raise(9)).data();
    assert_eq!(kinds(&done).last(), Some(&"attempts_raised"), "{done}");
    let audit = office.root.get("/api/audit/?action=option.update").data();
    let change = &audit["items"][0]["changes"]["routing.attempts"];
    assert_eq!(change, &json!({"from": 6, "to": 9}), "{audit}");
    let again = office.root.post(&path, &raise(9));
    assert_eq!(again.refusal().0, 400, "it is in effect");
}
