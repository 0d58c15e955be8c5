//! Disputes and warnings of fraud as incidents: opened once, over when they are dealt with, quiet once a person has closed
//! them.

use std::time::Duration;

use serde_json::{Value, json};
use server::incidents::Watch;
use store::users::Role;
use tokio::runtime::Runtime;

use super::service::{Person, SECRET, STRIPE, Service, completed, event, signed};

struct Scene {
    service: Service,
    root: Person,
    watch: Watch,
    runtime: Runtime,
}

impl Scene {
    /// Two paid orders.
    fn new() -> Self {
        let service = Service::with(STRIPE);
        let ann = service.person("ann", Role::User);
        for order in ["ord_1", "ord_2"] {
            service.order(order, "stripe", &ann);
            let paid = completed(&format!("evt_{order}"), order);
            assert_eq!(service.verdict(&paid), "credited");
        }
        let root = service.person("root", Role::Root);
        let watch = Watch::new(&service.app.app);
        let runtime = Runtime::new().expect("a runtime");
        Self {
            service,
            root,
            watch,
            runtime,
        }
    }

    /// Looks a minute later, long enough to look at the records again and to be over what is over.
    fn look(&mut self) {
        for _ in 0..2 {
            self.service.app.clock.advance(Duration::from_secs(61));
            let look = self.watch.look(&self.service.app.app);
            self.runtime.block_on(look).expect("it looks");
        }
    }

    /// Sends an event as Stripe does now.
    fn tell(&self, event: &Value) {
        let body = event.to_string();
        let signature = signed(&body, SECRET, self.service.app.clock.now_ms() / 1000);
        let headers = [("stripe-signature", signature.as_str())];
        let reply = self.service.webhook(&headers, &body);
        assert_eq!(reply.status, 200, "{}", reply.body);
    }

    fn incidents(&self, state: &str) -> Vec<Value> {
        let path = format!("GET /api/incident/?rule=payment_flagged&state={state}");
        let found = self.service.data(&self.root, &path, &Value::Null);
        found["items"].as_array().expect("a list").clone()
    }

    fn orders(&self, state: &str) -> Vec<Value> {
        let found = self.incidents(state).into_iter();
        found.map(|one| one["facts"]["order_id"].clone()).collect()
    }
}

fn dispute(event_id: &str, kind: &str, status: &str) -> Value {
    let dispute = json!({"id": "dp_1", "object": "dispute", "amount": 1000, "status": status,
        "payment_intent": "pi_ord_1", "metadata": {}});
    event(event_id, &format!("charge.dispute.{kind}"), &dispute)
}

fn warning(event_id: &str) -> Value {
    let warning = json!({"id": "issfr_1", "object": "radar.early_fraud_warning",
        "charge": "ch_2", "payment_intent": "pi_ord_2", "actionable": true});
    event(event_id, "radar.early_fraud_warning.created", &warning)
}

#[test]
fn a_dispute_is_an_incident_until_it_is_decided() {
    let mut scene = Scene::new();
    scene.look();
    assert!(scene.incidents("open").is_empty());
    scene.tell(&dispute("evt_1", "created", "needs_response"));
    scene.look();
    let open = scene.incidents("open");
    assert_eq!(open.len(), 1, "{open:?}");
    assert_eq!(open[0]["title"], "Order ord_1 is disputed");
    assert_eq!(open[0]["facts"]["amount_minor"], 1000);
    assert_eq!(open[0]["facts"]["state"], "held");
    scene.look();
    assert_eq!(scene.incidents("open").len(), 1);
    scene.tell(&dispute("evt_2", "closed", "lost"));
    scene.look();
    assert!(scene.incidents("open").is_empty());
    assert_eq!(scene.orders("closed"), ["ord_1"]);
}

#[test]
fn a_warning_is_an_incident_until_the_order_is_paid_back() {
    let mut scene = Scene::new();
    for id in ["evt_1", "evt_2"] {
        assert_eq!(scene.service.verdict(&warning(id)), "fraud_warning");
    }
    scene.look();
    assert_eq!(scene.orders("open"), ["ord_2"]);
    let charge = json!({"id": "ch_2", "object": "charge", "amount": 1000,
        "amount_refunded": 1000, "currency": "usd", "payment_intent": "pi_ord_2"});
    scene.tell(&event("evt_3", "charge.refunded", &charge));
    scene.look();
    assert!(scene.incidents("open").is_empty());
    assert_eq!(scene.orders("closed"), ["ord_2"]);
}

#[test]
fn what_a_person_has_closed_stays_closed() {
    let mut scene = Scene::new();
    scene.tell(&warning("evt_1"));
    scene.look();
    let id = scene.incidents("open")[0]["id"].clone();
    let path = format!("POST /api/incident/{id}/resolve");
    scene.service.data(&scene.root, &path, &json!({}));
    scene.look();
    // Longer than other causes stay quiet.
    scene
        .service
        .app
        .clock
        .advance(Duration::from_hours(7 * 24));
    scene.look();
    assert!(scene.incidents("open").is_empty());
    assert_eq!(scene.incidents("closed").len(), 1);
}
