//! Refunds and disputes: what was credited is taken back, what is gone is owed, and what comes back
//! is given back.

use serde_json::{Value, json};
use store::top_ups::OrderStatus;
use store::users::Role;

use super::service::{NOW_S, Person, STRIPE, Service, completed, event};

const DOLLAR: i64 = 1_000_000_000;

fn refunded(event_id: &str, order: &str, total: i64) -> Value {
    let charge = json!({"id": "ch_1", "object": "charge", "amount": 1000,
        "amount_refunded": total, "currency": "usd", "payment_intent": format!("pi_{order}"),
        "metadata": {"order_id": order}});
    event(event_id, "charge.refunded", &charge)
}

fn dispute(event_id: &str, kind: &str, order: &str, status: &str, amount: i64) -> Value {
    let dispute = json!({"id": format!("dp_{order}"), "object": "dispute", "amount": amount,
        "status": status, "payment_intent": format!("pi_{order}"), "metadata": {}});
    event(event_id, &format!("charge.dispute.{kind}"), &dispute)
}

fn paid_order(configuration: &str) -> (Service, Person) {
    let service = Service::with(configuration);
    let ann = service.person("ann", Role::User);
    service.order("ord_1", "stripe", &ann);
    assert_eq!(service.verdict(&completed("evt_paid", "ord_1")), "credited");
    (service, ann)
}

#[test]
fn partial_refunds_count_by_their_sum_and_once() {
    let (service, ann) = paid_order(STRIPE);
    for (id, total, left) in [
        ("evt_1", 300, 7),
        ("evt_1", 300, 7),
        ("evt_2", 300, 7),
        ("evt_3", 500, 5),
        ("evt_4", 300, 5),
    ] {
        service.tell(&refunded(id, "ord_1", total));
        assert_eq!(service.balances(&ann).wallet_nanos, left * DOLLAR, "{id}");
        assert_eq!(service.stored("ord_1").status, OrderStatus::Paid);
    }
    service.tell(&refunded("evt_5", "ord_1", 1000));
    assert_eq!(service.balances(&ann).wallet_nanos, 0);
    let order = service.stored("ord_1");
    assert_eq!(
        (order.status, order.clawed_back_nanos),
        (OrderStatus::Refunded, 10 * DOLLAR)
    );
}

#[test]
fn what_the_wallet_cannot_give_back_is_owed_and_paid_by_the_next_credit() {
    let (service, ann) = paid_order(STRIPE);
    service.records(async |store| {
        let spent = store::ledger::Movement {
            key: "spent".to_owned(),
            from: store::ledger::Account::Wallet(ann.id),
            to: store::ledger::Account::Revenue,
            amount_nanos: 8 * DOLLAR,
            reference_kind: "call",
            reference_id: "1".to_owned(),
            reason: None,
            at: 0,
        };
        let transaction = store.write().await.unwrap();
        store::ledger::post(&transaction, &[spent]).await.unwrap();
        transaction.commit().await.unwrap();
    });
    service.tell(&refunded("evt_1", "ord_1", 1000));
    let has = service.balances(&ann);
    assert_eq!((has.wallet_nanos, has.owed_nanos), (0, 8 * DOLLAR));
    service.order("ord_2", "stripe", &ann);
    service.tell(&completed("evt_2", "ord_2"));
    let has = service.balances(&ann);
    assert_eq!((has.wallet_nanos, has.owed_nanos), (2 * DOLLAR, 0));
}

#[test]
fn a_refund_before_the_payment_is_taken_off_it() {
    let service = Service::with(STRIPE);
    let ann = service.person("ann", Role::User);
    service.order("ord_1", "stripe", &ann);
    assert_eq!(
        service.verdict(&refunded("evt_1", "ord_1", 400)),
        "claims_counted"
    );
    assert_eq!(service.balances(&ann).wallet_nanos, 0);
    assert_eq!(service.verdict(&completed("evt_2", "ord_1")), "credited");
    assert_eq!(service.balances(&ann).wallet_nanos, 6 * DOLLAR);
}

#[test]
fn a_refund_that_failed_is_given_back_once() {
    let (service, ann) = paid_order(STRIPE);
    service.tell(&refunded("evt_1", "ord_1", 1000));
    let refund = json!({"id": "re_1", "object": "refund", "amount": 1000, "status": "failed",
        "payment_intent": "pi_ord_1", "charge": "ch_1"});
    for (id, kind) in [
        ("evt_2", "refund.updated"),
        ("evt_3", "refund.failed"),
        ("evt_4", "charge.refund.updated"),
    ] {
        let mut failed = event(id, kind, &refund);
        failed["created"] = json!(NOW_S + 60);
        assert_eq!(service.verdict(&failed), "claims_counted");
        assert_eq!(service.balances(&ann).wallet_nanos, 10 * DOLLAR, "{kind}");
    }
    assert_eq!(service.stored("ord_1").status, OrderStatus::Paid);
}

#[test]
fn a_dispute_takes_back_and_gives_back_when_it_is_won() {
    let (service, ann) = paid_order(STRIPE);
    for (id, kind, status, amount, left, order) in [
        (
            "e1",
            "created",
            "warning_needs_response",
            1000,
            10,
            OrderStatus::Paid,
        ),
        (
            "e2",
            "created",
            "needs_response",
            700,
            3,
            OrderStatus::Disputed,
        ),
        (
            "e3",
            "funds_withdrawn",
            "under_review",
            700,
            3,
            OrderStatus::Disputed,
        ),
        ("e4", "closed", "won", 700, 10, OrderStatus::Paid),
        (
            "e5",
            "created",
            "needs_response",
            700,
            10,
            OrderStatus::Paid,
        ),
    ] {
        service.tell(&dispute(id, kind, "ord_1", status, amount));
        assert_eq!(service.balances(&ann).wallet_nanos, left * DOLLAR, "{id}");
        assert_eq!(service.stored("ord_1").status, order, "{id}");
    }
}

#[test]
fn a_lost_dispute_stays_taken_and_never_takes_more_than_was_credited() {
    let (service, ann) = paid_order(STRIPE);
    service.tell(&dispute("e1", "created", "ord_1", "needs_response", 1000));
    service.tell(&dispute("e2", "closed", "ord_1", "lost", 1000));
    service.tell(&refunded("e3", "ord_1", 1000));
    let has = service.balances(&ann);
    assert_eq!((has.wallet_nanos, has.owed_nanos), (0, 0));
    assert_eq!(service.stored("ord_1").status, OrderStatus::Disputed);
}

#[test]
fn a_dispute_that_comes_before_its_payment_waits_for_it() {
    let service = Service::with(STRIPE);
    let ann = service.person("ann", Role::User);
    service.order("ord_1", "stripe", &ann);
    let early = dispute("e1", "created", "ord_1", "needs_response", 1000);
    assert_eq!(service.verdict(&early), "unknown_order");
    assert_eq!(service.verdict(&completed("e2", "ord_1")), "credited");
    assert_eq!(service.balances(&ann).wallet_nanos, 0);
    assert_eq!(service.stored("ord_1").status, OrderStatus::Disputed);
    let won = dispute("e3", "closed", "ord_1", "won", 1000);
    assert_eq!(service.verdict(&won), "claims_counted");
    assert_eq!(service.balances(&ann).wallet_nanos, 10 * DOLLAR);
}

#[test]
fn disputes_and_warnings_of_fraud_are_flagged_and_a_warning_takes_nothing() {
    let (service, ann) = paid_order(STRIPE);
    let root = service.person("root", Role::Root);
    let flags = || {
        let path = "GET /api/audit/?action=payment.flag";
        let found = service.data(&root, path, &Value::Null);
        let found = found["items"].as_array().unwrap().iter();
        let events = found.map(|entry| entry["changes"]["event"]["to"].clone());
        events.collect::<Vec<Value>>()
    };
    assert!(flags().is_empty());
    let warning = json!({"id": "issfr_1", "object": "radar.early_fraud_warning",
        "charge": "ch_1", "payment_intent": "pi_ord_1", "actionable": true});
    let warned = event("evt_1", "radar.early_fraud_warning.created", &warning);
    assert_eq!(service.verdict(&warned), "fraud_warning");
    assert_eq!(service.balances(&ann).wallet_nanos, 10 * DOLLAR);
    assert_eq!(service.stored("ord_1").status, OrderStatus::Paid);
    service.tell(&dispute(
        "evt_2",
        "created",
        "ord_1",
        "needs_response",
        1000,
    ));
    service.tell(&dispute("evt_3", "closed", "ord_1", "won", 1000));
    let expected = [
        "charge.dispute.created",
        "radar.early_fraud_warning.created",
    ];
    assert_eq!(flags(), expected, "what was won needs no look");
}
