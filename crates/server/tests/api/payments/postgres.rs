//! The same on PostgreSQL, where events really race: many copies at once, on two nodes.

use serde_json::{Value, json};
use store::ledger::{self, Account};
use store::top_ups::{self, NewOrder};
use store::{Location, OpenOptions, Store, UserId};
use tempfile::TempDir;

use super::service::{SECRET, completed, event, paid, signed};
use crate::nodes::empty_database;
use crate::support::{Program, run_with, send};

#[test]
fn two_nodes_that_get_an_event_a_hundred_times_credit_it_once() {
    let url = empty_database("webhook");
    let folders: Vec<TempDir> = (0..2).map(|_| TempDir::new().unwrap()).collect();
    let environment = [
        ("MODELGATE_DATABASE__URL", url.as_str()),
        (
            "MODELGATE_SECRETS__MASTER_KEY",
            "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=",
        ),
        ("MODELGATE_PAYMENTS__STRIPE__WEBHOOK_SECRET", SECRET),
    ];
    let data = folders[0].path().to_str().unwrap();
    let set_up = ["setup", "--data", data, "--password-stdin"];
    assert_eq!(
        run_with(&set_up, &environment, "correct horse\n").code,
        Some(0)
    );
    let nodes: Vec<Program> = folders
        .iter()
        .map(|folder| Program::serve(&["--data", folder.path().to_str().unwrap()], &environment))
        .collect();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let root = UserId(1);
    let store = runtime.block_on(async {
        let location = Location::Postgres(url.clone());
        let store = Store::open(&location, &OpenOptions::default())
            .await
            .unwrap();
        let new = NewOrder {
            id: "ord_1".to_owned(),
            user_id: root,
            provider: "stripe".to_owned(),
            amount_minor: 1000,
            currency: "usd".to_owned(),
            credit_nanos: 10_000_000_000,
            now: 0,
            expires_at: i64::MAX,
        };
        let transaction = store.write().await.unwrap();
        top_ups::insert(&transaction, new).await.unwrap();
        transaction.commit().await.unwrap();
        store
    });
    let events: Vec<Value> = (0..100)
        .map(|number| match number % 3 {
            0 => completed("evt_1", "ord_1"),
            1 => event(
                &format!("evt_{number}"),
                "checkout.session.async_payment_succeeded",
                &paid("ord_1"),
            ),
            _ => event(
                &format!("evt_{number}"),
                "charge.refunded",
                &json!({"amount": 1000, "amount_refunded": 400,
                    "metadata": {"order_id": "ord_1"}}),
            ),
        })
        .collect();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let calls: Vec<_> = events
            .iter()
            .enumerate()
            .map(|(number, event)| {
                let address = nodes[number % 2].address;
                scope.spawn(move || tell(address, event))
            })
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert!(statuses.iter().all(|status| *status == 200), "{statuses:?}");
    runtime.block_on(async {
        let wallet = ledger::balance(store.read(), Account::Wallet(root)).await;
        assert_eq!(wallet.unwrap(), 100_000_000_000 + 6_000_000_000);
        let verified = ledger::verify(store.read()).await.unwrap();
        assert_eq!(verified.differences, []);
    });
}

fn tell(address: std::net::SocketAddr, event: &Value) -> u16 {
    let body = event.to_string();
    let now = std::time::UNIX_EPOCH
        .elapsed()
        .expect("the test gave it")
        .as_secs();
    let signature = signed(&body, SECRET, i64::try_from(now).expect("the test gave it"));
    let headers = [("stripe-signature", signature.as_str())];
    send(address, "POST /api/payment/webhook", &headers, &body).status
}
