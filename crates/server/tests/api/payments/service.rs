//! A service with people in it, and a payment provider who signs what a test wants.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use axum::Router;
use hmac::{Hmac, KeyInit as _, Mac as _};
use serde_json::{Value, json};
use server::background::look_after_orders;
use server::management::frame::{PAT_PREFIX, PAT_PURPOSE};
use server::secrets::hash_token;
use sha2::Sha256;
use store::ledger::{self, Balances};
use store::top_ups::{self, NewOrder, Order, OrderStatus};
use store::users::{self, NewUser, Role};
use store::{Store, UserId, access_tokens, groups};
use tokio::runtime::Runtime;

use crate::support::{Reply, TestApp, send};

/// 2026-01-01, when tests take place.
pub const NOW_S: i64 = 1_767_225_600;
pub const SECRET: &str = "whsec_test_gateway_0001";
/// Stripe's webhook is configured, and nothing else.
pub const STRIPE: &str = "[payments.stripe]\nwebhook_secret = \"whsec_test_gateway_0001\"\n";

/// A running service.
pub struct Service {
    pub app: TestApp,
}

/// Somebody with an account.
pub struct Person {
    pub id: UserId,
    bearer: String,
}

impl Service {
    pub fn with(configuration: &str) -> Self {
        let address = "[server]\npublic_url = \"http://gate.example\"\n";
        let app = TestApp::with(&format!("{configuration}\n{address}"), Router::new());
        Self { app }
    }

    /// Looks into the records, or changes them.
    pub fn records<T>(&self, look: impl AsyncFnOnce(&Store) -> T) -> T {
        tokio::runtime::Runtime::new()
            .expect("a runtime")
            .block_on(look(self.app.app.store()))
    }

    /// Makes an account with an access token.
    pub fn person(&self, name: &str, role: Role) -> Person {
        let token = format!("{PAT_PREFIX}{name}-secret");
        let hash = hash_token(self.app.app.keys(), PAT_PURPOSE, &token);
        let id = self.records(async |store| {
            let transaction = store.write().await.expect("the test gave it");
            if groups::get(&transaction, "default")
                .await
                .expect("the test gave it")
                .is_none()
            {
                groups::insert(&transaction, "default", "", 1_000_000, 0)
                    .await
                    .expect("the test gave it");
            }
            let new = NewUser {
                username: name.to_owned(),
                email: None,
                display_name: name.to_owned(),
                password_hash: None,
                role,
                group_name: "default".to_owned(),
                aff_code: format!("aff{name}"),
                inviter_id: None,
                created_at: 0,
            };
            let user = users::insert(&transaction, new)
                .await
                .expect("the test gave it");
            let new = access_tokens::NewAccessToken {
                user_id: user.id,
                name: "test",
                secret_hash: &hash,
                scopes: "read write billing",
                expires_at: i64::MAX,
            };
            access_tokens::insert(&transaction, new, 0)
                .await
                .expect("the test gave it");
            transaction.commit().await.expect("the test gave it");
            user.id
        });
        Person {
            id,
            bearer: format!("Bearer {token}"),
        }
    }

    /// Calls as somebody.
    pub fn call(&self, person: &Person, line: &str, body: &Value) -> Reply {
        let headers = [
            ("authorization", person.bearer.as_str()),
            ("content-type", "application/json"),
        ];
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        send(self.app.address, line, &headers, &body)
    }

    /// Calls as somebody, and expects it to work.
    pub fn data(&self, person: &Person, line: &str, body: &Value) -> Value {
        let reply = self.call(person, line, body);
        assert_eq!(reply.status, 200, "{line}: {}", reply.body);
        reply.json()["data"].clone()
    }

    /// Puts an order of ten dollars into the records.
    pub fn order(&self, id: &str, provider: &str, person: &Person) {
        let new = NewOrder {
            id: id.to_owned(),
            user_id: person.id,
            provider: provider.to_owned(),
            amount_minor: 1000,
            currency: "usd".to_owned(),
            credit_nanos: 10_000_000_000,
            now: NOW_S * 1000,
            expires_at: NOW_S * 1000 + 3_600_000,
        };
        self.records(async |store| {
            let transaction = store.write().await.expect("the test gave it");
            top_ups::insert(&transaction, new)
                .await
                .expect("the test gave it");
            transaction.commit().await.expect("the test gave it");
        });
    }

    /// An order as it is stored.
    pub fn stored(&self, id: &str) -> Order {
        self.records(async |store| {
            top_ups::get(store.read(), id)
                .await
                .expect("the test gave it")
                .expect("the test gave it")
        })
    }

    /// Lets the background look after orders until one has this status.
    pub fn look_after(&self, runtime: &Runtime, id: &str, status: OrderStatus) {
        let rounds = runtime.spawn(look_after_orders(self.app.app.clone()));
        let began = Instant::now();
        while self.stored(id).status != status {
            assert!(
                began.elapsed() < Duration::from_secs(20),
                "it stays as it is"
            );
            std::thread::sleep(Duration::from_millis(20));
        }
        rounds.abort();
    }

    /// What somebody has; the whole ledger must be right.
    pub fn balances(&self, person: &Person) -> Balances {
        self.records(async |store| {
            let verified = ledger::verify(store.read())
                .await
                .expect("the test gave it");
            assert_eq!(verified.differences, []);
            let found = ledger::balances(store.read(), &[person.id])
                .await
                .expect("the test gave it");
            found[&person.id]
        })
    }

    /// Sends an event as Stripe does.
    pub fn tell(&self, event: &Value) -> Reply {
        let body = event.to_string();
        let signature = signed(&body, SECRET, NOW_S);
        self.webhook(&[("stripe-signature", &signature)], &body)
    }

    /// Sends an event and returns the verdict.
    pub fn verdict(&self, event: &Value) -> String {
        let reply = self.tell(event);
        assert_eq!(reply.status, 200, "{}", reply.body);
        let data = &reply.json()["data"];
        assert_eq!(data["received"], true);
        data["verdict"]
            .as_str()
            .expect("the test gave it")
            .to_owned()
    }

    /// Posts to the webhook.
    pub fn webhook(&self, headers: &[(&str, &str)], body: &str) -> Reply {
        let mut all = vec![("content-type", "application/json")];
        all.extend_from_slice(headers);
        send(self.app.address, "POST /api/payment/webhook", &all, body)
    }
}

/// A signature header, made without the code under test.
pub fn signed(body: &str, secret: &str, at_s: i64) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("the test gave it");
    mac.update(format!("{at_s}.{body}").as_bytes());
    let mut header = format!("t={at_s},v1=");
    for byte in mac.finalize().into_bytes() {
        write!(header, "{byte:02x}").expect("a text takes all");
    }
    header
}

/// An event of Stripe's.
pub fn event(id: &str, event_type: &str, object: &Value) -> Value {
    json!({"id": id, "object": "event", "created": NOW_S, "type": event_type,
        "data": {"object": object}})
}

/// A checkout of ten dollars that was paid.
pub fn paid(order: &str) -> Value {
    json!({"id": format!("cs_{order}"), "object": "checkout.session",
        "client_reference_id": order, "payment_intent": format!("pi_{order}"),
        "payment_status": "paid", "status": "complete", "amount_total": 1000, "currency": "usd"})
}

/// "The checkout of this order was paid."
pub fn completed(event_id: &str, order: &str) -> Value {
    event(event_id, "checkout.session.completed", &paid(order))
}
