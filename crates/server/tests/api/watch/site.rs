//! A service with a demo channel that can be made to fail, somebody who calls it, a receiver of
//! alerts, and a watch that looks when a test says so.

use std::time::Duration;

use serde_json::{Value, json};
use server::incidents::{Watch, deliver_due};
use testkit::{FakeUpstream, RecordedRequest, Reply as Scripted};
use tokio::runtime::Runtime;

use crate::support::{Office, Reply, send};

/// Where alerts go.
pub const HOOK: &str = "/hook";

/// The service and what is around it.
pub struct Site {
    pub office: Office,
    pub receiver: FakeUpstream,
    pub watch: Watch,
    runtime: Runtime,
    token: String,
}

impl Site {
    /// A service that tells the receiver of incidents.
    pub fn open() -> Self {
        Self::with("[outbound]\nallow_private = [\"127.0.0.0/8\"]\n")
    }

    /// The same with more of a configuration.
    pub fn with(configuration: &str) -> Self {
        let runtime = Runtime::new().expect("a runtime");
        let receiver = runtime.block_on(FakeUpstream::start());
        receiver.on(HOOK, Scripted::json(&json!({})));
        let hook = receiver.url(HOOK);
        let office = Office::with(&format!(
            "[alerts]\nwebhook_url = \"{hook}\"\nwebhook_secret = \"whsec_site\"\n{configuration}"
        ));
        let made = office.root.post("/api/token/", &json!({"name": "caller"}));
        let token = made.data()["key"].as_str().expect("a key").to_owned();
        let watch = Watch::new(&office.app.app);
        Self {
            office,
            receiver,
            watch,
            runtime,
            token,
        }
    }

    /// Makes the demo channel fail like this; `{}` mends it.
    pub fn set_faults(&self, faults: &Value) {
        let channel = self.channel();
        let change = json!({"id": channel, "overrides": {"demo": faults}});
        self.office
            .administrator
            .put("/api/channel/", &change)
            .data();
    }

    /// The id of the demo channel that set-up made.
    pub fn channel(&self) -> i64 {
        let channels = self.office.administrator.get("/api/channel/").data();
        let channels = channels["items"].as_array().expect("a list").iter();
        let ids = channels.filter_map(|channel| channel["id"].as_i64());
        ids.min().expect("a channel")
    }

    /// Makes a call.
    pub fn call(&self, headers: &[(&str, &str)]) -> Reply {
        let bearer = format!("Bearer {}", self.token);
        let mut all = vec![
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
        ];
        all.extend(headers);
        let body = json!({"model": "demo-chat", "messages": [{"role": "user", "content": "Hi"}]});
        let address = self.office.app.address;
        send(
            address,
            "POST /v1/chat/completions",
            &all,
            &body.to_string(),
        )
    }

    /// Time passes, and the watch looks.
    pub fn look_after(&mut self, seconds: u64) {
        // What is being written would seem to take all that time.
        self.runtime.block_on(self.office.app.app.wallets().flush());
        self.office.app.clock.advance(Duration::from_secs(seconds));
        let look = self.watch.look(&self.office.app.app);
        self.runtime.block_on(look).expect("it looks");
    }

    /// Tells whoever is to be told now.
    pub fn deliver(&self) {
        let done = self.runtime.block_on(deliver_due(&self.office.app.app));
        done.expect("it delivers");
    }

    /// What the receiver was told.
    pub fn told(&self) -> Vec<RecordedRequest> {
        self.receiver.requests()
    }

    /// The list of incidents.
    pub fn incidents(&self, query: &str) -> Vec<Value> {
        let path = format!("/api/incident/{query}");
        let page = self.office.administrator.get(&path).data();
        page["items"].as_array().expect("a list").clone()
    }

    /// An incident with its timeline.
    pub fn incident(&self, id: i64) -> Value {
        let path = format!("/api/incident/{id}");
        self.office.administrator.get(&path).data()
    }
}

/// What happened in an incident, in order.
pub fn kinds(detail: &Value) -> Vec<&str> {
    let events = detail["timeline"].as_array().expect("a timeline");
    events
        .iter()
        .filter_map(|event| event["kind"].as_str())
        .collect()
}
