//! A gateway in process whose channels lead to fake upstreams.

use std::time::{Duration, Instant};

use providers::Upstream;
use serde_json::{Value, json};
use server::accounts::{SetUp, set_up};
use server::channels::seal_key;
use server::config::Secret;
use server::randomness::SystemRandomness;
use store::channels::{self, ChannelChanges, NewChannel};
use store::groups::{self, GroupChanges};
use store::ledger::{Account, balance};
use store::request_log::{self, Attempt, LoggedCall};
use store::{UserId, channel_keys};
use testkit::{FakeUpstream, Reply as Scripted};
use tokio::runtime::Runtime;

use crate::support::{Reply, TestApp, send};

/// What a user of these tests has.
pub const GRANT_NANOS: i64 = 100_000_000_000;
/// One dollar for a million input tokens, ten for a million output tokens, a cent for a search of the vendor's own, and other charges.
const PRICES: &str = r#"
[[prices]]
model = "m"
input = "1"
output = "10"
hosted_tools = { web_search_requests = "0.01", service_tier_priority = "0.02", plugin_web = "0.001" }
"#;

/// Lets channels lead to this machine.
const REACHES: &str = "outbound.allow_private = [\"127.0.0.0/8\"]\n";
/// Lets what clients point to be fetched from there.
const FETCHES: &str = "outbound.fetch_private = [\"127.0.0.0/8\"]\n";

/// A provider and what it is narrowed to; an empty dialect is all that the provider has.
#[derive(Clone, Copy)]
pub struct Speaks {
    pub provider: &'static str,
    pub dialect: &'static str,
    pub path: &'static str,
    pub stream_path: &'static str,
}

pub const CHAT: Speaks = Speaks {
    provider: "openai",
    dialect: "chat",
    path: "/v1/chat/completions",
    stream_path: "/v1/chat/completions",
};
pub const RESPONSES: Speaks = Speaks {
    provider: "openai",
    dialect: "responses",
    path: "/v1/responses",
    stream_path: "/v1/responses",
};
pub const LEGACY: Speaks = Speaks {
    provider: "openai",
    dialect: "completions",
    path: "/v1/completions",
    stream_path: "/v1/completions",
};
pub const MESSAGES: Speaks = Speaks {
    provider: "anthropic",
    dialect: "messages",
    path: "/v1/messages",
    stream_path: "/v1/messages",
};
pub const GENERATE: Speaks = Speaks {
    provider: "google",
    dialect: "generate",
    path: "/v1beta/models/up:generateContent",
    stream_path: "/v1beta/models/up:streamGenerateContent",
};

/// The gateway and what it leads to.
pub struct Vendor {
    pub gate: TestApp,
    pub upstreams: Vec<FakeUpstream>,
    pub token: String,
    pub runtime: Runtime,
    user: UserId,
}

impl Vendor {
    /// One channel that speaks so.
    pub fn speaking(speaks: Speaks) -> Self {
        Self::with(&[speaks], "100")
    }

    /// Channels of falling priority, all for the model `m`, which they call `up`.
    pub fn with(channels: &[Speaks], grant: &str) -> Self {
        Self::with_patience(channels, grant, None)
    }

    /// The same, but a first byte and every silence may take no longer than a moment.
    pub fn hasty(channels: &[Speaks]) -> Self {
        Self::with_patience(channels, "100", Some(300))
    }

    /// One channel that speaks so, and calls the model by this name.
    pub fn naming(upstream_model: &str, speaks: Speaks) -> Self {
        let vendor = Self::speaking(speaks);
        vendor.map_model(0, upstream_model);
        vendor
    }

    /// Sets the upstream's name of the model on one channel.
    pub fn map_model(&self, channel: usize, upstream_model: &str) {
        self.runtime.block_on(async {
            let app = &self.gate.app;
            let name = format!("channel-{channel}");
            let named = [("m".to_owned(), upstream_model.to_owned())];
            let changes = ChannelChanges {
                model_mapping: Some(named.into()),
                ..ChannelChanges::default()
            };
            let rows = channels::all(app.store().read()).await.expect("channels");
            let row = rows.iter().find(|row| row.name == name);
            let id = row.expect("the channel").id;
            let transaction = app.store().write().await.expect("a transaction");
            let now = app.clock().now_ms();
            let done = channels::update(&transaction, id, changes, now).await;
            done.expect("it is changed");
            transaction.commit().await.expect("it is written");
            let reloaded = app.channels().reload(app.store(), app.keys()).await;
            reloaded.expect("the channels load");
        });
    }

    /// The same vendor, whose callers may use hosted tools without a bound.
    pub fn with_hosted_tools(self) -> Self {
        self.runtime.block_on(async {
            let store = self.gate.app.store();
            let group = groups::get(store.read(), "default").await;
            let group = group.expect("the records answer").expect("a group");
            let changes = GroupChanges {
                allows_hosted_tools: Some(true),
                ..GroupChanges::default()
            };
            let transaction = store.write().await.expect("a transaction");
            let done = groups::update(&transaction, group.id, changes).await;
            done.expect("it is changed");
            transaction.commit().await.expect("it is written");
        });
        self
    }

    /// One channel that speaks so, behind a gateway with more settings.
    pub fn limited(settings: &str, speaks: Speaks) -> Self {
        Self::build(settings, &[speaks], "100", None)
    }

    /// One channel that speaks so, behind a gateway that fetches from this machine.
    pub fn fetching(speaks: Speaks) -> Self {
        Self::build(FETCHES, &[speaks], "100", None)
    }

    fn with_patience(channels: &[Speaks], grant: &str, patience_ms: Option<i64>) -> Self {
        Self::build("", channels, grant, patience_ms)
    }

    fn build(settings: &str, channels: &[Speaks], grant: &str, patience_ms: Option<i64>) -> Self {
        let gate = TestApp::with(&format!("{REACHES}{settings}{PRICES}"), axum::Router::new());
        let runtime = Runtime::new().expect("a runtime");
        let (user, token, upstreams) = runtime.block_on(async {
            let app = &gate.app;
            let request = SetUp {
                username: "root".to_owned(),
                password: Secret::new("correct horse battery"),
                demo: false,
                token_name: Some("first".to_owned()),
                grant: grant.parse().expect("dollars"),
                mode: None,
            };
            let done = set_up(
                app.store(),
                app.keys(),
                app.clock(),
                &SystemRandomness,
                request,
            );
            let done = done.await.expect("set-up works");
            let mut upstreams = Vec::new();
            for (index, speaks) in channels.iter().enumerate() {
                let upstream = FakeUpstream::start().await;
                add_channel(&gate, *speaks, index, patience_ms, &upstream).await;
                upstreams.push(upstream);
            }
            let reloaded = app.channels().reload(app.store(), app.keys()).await;
            reloaded.expect("the channels load");
            let token = done.token.expect("a token").expose().to_owned();
            (done.user_id, token, upstreams)
        });
        Self {
            gate,
            upstreams,
            token,
            runtime,
            user,
        }
    }

    /// The first channel's upstream.
    pub fn upstream(&self) -> &FakeUpstream {
        &self.upstreams[0]
    }

    /// Answers every request of a channel's operation so.
    pub fn answers(&self, speaks: Speaks, whole: &Value) {
        self.upstream().on(speaks.path, Scripted::json(whole));
    }

    /// Posts JSON text with the token.
    pub fn post_text(&self, path: &str, more: &[(&str, &str)], body: &str) -> Reply {
        let bearer = format!("Bearer {}", self.token);
        let mut headers = vec![
            ("authorization", bearer.as_str()),
            ("content-type", "application/json"),
            ("provider-version", "2023-06-01"),
        ];
        headers.extend_from_slice(more);
        send(self.gate.address, &format!("POST {path}"), &headers, body)
    }

    /// Posts JSON with the token.
    pub fn post(&self, path: &str, body: &Value) -> Reply {
        self.post_text(path, &[], &body.to_string())
    }

    /// The log row of a call and its tries, once they are written.
    pub fn logged(&self, reply: &Reply) -> (LoggedCall, Vec<Attempt>) {
        let id = reply.header("x-request-id").expect("an id").to_owned();
        self.logged_as(&id)
    }

    /// The same by the request's id.
    pub fn logged_as(&self, id: &str) -> (LoggedCall, Vec<Attempt>) {
        self.runtime.block_on(async {
            let app = &self.gate.app;
            app.wallets().flush().await;
            let call = request_log::find(app.store().read(), id).await;
            let call = call.expect("the records answer").expect("a log row");
            let attempts = call.attempts.0.clone();
            (call, attempts)
        })
    }

    /// The newest log row; a call whose client left is written down a moment later.
    pub fn newest(&self) -> LoggedCall {
        let deadline = Instant::now() + Duration::from_secs(5);
        loop {
            let newest = self.runtime.block_on(async {
                let app = &self.gate.app;
                app.wallets().flush().await;
                let filter = request_log::LogFilter::default();
                let bounds = request_log::PageBounds::rows(1);
                let page = request_log::page(app.store().read(), &filter, None, bounds).await;
                page.expect("the records answer").items.pop()
            });
            if let Some(call) = newest {
                return call;
            }
            assert!(Instant::now() < deadline, "no call was logged");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// What the user owns, leases included.
    pub fn owned(&self) -> i64 {
        self.runtime.block_on(async {
            let app = &self.gate.app;
            app.wallets().flush().await;
            let mut owned = 0;
            for account in [Account::Wallet(self.user), Account::Held(self.user)] {
                owned += balance(app.store().read(), account)
                    .await
                    .expect("it answers");
            }
            owned
        })
    }
}

async fn add_channel(
    gate: &TestApp,
    speaks: Speaks,
    index: usize,
    patience_ms: Option<i64>,
    upstream: &FakeUpstream,
) {
    let app = &gate.app;
    let base_url = match speaks.provider {
        "openai" => upstream.url("/v1"),
        _ => upstream.url(""),
    };
    let changes = ChannelChanges {
        models: Some(vec!["m".to_owned()]),
        model_mapping: Some([("m".to_owned(), "up".to_owned())].into()),
        dialects: Some((!speaks.dialect.is_empty()).then(|| vec![speaks.dialect.to_owned()])),
        priority: Some(10 - i64::try_from(index).expect("few channels")),
        first_byte_timeout_ms: Some(patience_ms),
        idle_timeout_ms: Some(patience_ms),
        ..ChannelChanges::default()
    };
    let new = NewChannel {
        name: format!("channel-{index}"),
        provider: speaks.provider.to_owned(),
        base_url: base_url.clone(),
        is_declared: false,
    };
    let now = app.clock().now_ms();
    let transaction = app.store().write().await.expect("a transaction");
    let channel = channels::insert(&transaction, new, changes, now).await;
    let channel = channel.expect("a channel");
    let provider = providers::provider(speaks.provider).expect("a provider");
    let opened = Upstream::open(provider, &base_url, "sk-vendor").expect("an upstream");
    let origin = opened.base.origin().to_string();
    let secret = Secret::new("sk-vendor");
    let key = seal_key(app.keys(), &SystemRandomness, channel.id, &origin, &secret);
    channel_keys::replace(&transaction, channel.id, vec![key], now)
        .await
        .expect("a key");
    transaction.commit().await.expect("it is written");
}

/// A body of each client dialect that says "Hi".
pub fn asks(path: &str, stream: bool) -> (String, Value) {
    let user = json!([{"role": "user", "content": "Hi"}]);
    let body = match path {
        "chat" => json!({"model": "m", "messages": user}),
        "completions" => json!({"model": "m", "prompt": "Hi"}),
        "messages" => json!({"model": "m", "max_tokens": 50, "messages": user}),
        "responses" => json!({"model": "m", "input": "Hi", "store": false}),
        _ => json!({"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]}),
    };
    let path = match (path, stream) {
        ("chat", _) => "/v1/chat/completions",
        ("completions", _) => "/v1/completions",
        ("messages", _) => "/v1/messages",
        ("responses", _) => "/v1/responses",
        (_, false) => "/v1beta/models/m:generateContent",
        (_, true) => "/v1beta/models/m:streamGenerateContent?alt=sse",
    };
    let mut body = body;
    if stream && !path.contains("v1beta") {
        body["stream"] = json!(true);
    }
    (path.to_owned(), body)
}
