//! Referral earnings: moved by whoever earned them, never more than there is.

use serde_json::{Value, json};
use store::ledger::{self, Account, Movement};
use store::referrals;
use store::users::Role;

use super::service::{Person, Service, completed, event};

const TRANSFER: &str = "POST /api/user/aff_transfer";

fn earn(service: &Service, person: &Person, nanos: i64) {
    service.records(async |store| {
        let movement = Movement {
            key: format!("earned:{}", person.id),
            from: Account::Grants,
            to: Account::Referral(person.id),
            amount_nanos: nanos,
            reference_kind: "referral",
            reference_id: "1".to_owned(),
            reason: None,
            at: 0,
        };
        let transaction = store.write().await.expect("the test gave it");
        ledger::post(&transaction, &[movement])
            .await
            .expect("the test gave it");
        transaction.commit().await.expect("the test gave it");
    });
}

#[test]
fn earnings_become_balance() {
    let service = Service::with("");
    let ann = service.person("ann", Role::User);
    earn(&service, &ann, 3_000_000_000);
    let shown = service.data(&ann, "GET /api/user/aff", &Value::Null);
    assert_eq!(
        (
            &shown["aff_quota"],
            &shown["aff_code"],
            &shown["minimum_transfer_usd"]
        ),
        (&json!(1_500_000), &json!("affann"), &json!("1"))
    );
    let moved = service.data(&ann, TRANSFER, &json!({"quota": 1_000_000}));
    assert_eq!(
        moved,
        json!({"quota": 1_000_000, "quota_usd": "2", "aff_quota": 500_000, "aff_quota_usd": "1"})
    );
    let has = service.balances(&ann);
    assert_eq!(
        (has.wallet_nanos, has.referral_nanos),
        (2_000_000_000, 1_000_000_000)
    );
}

#[test]
fn what_cannot_be_moved_is_refused_and_nothing_moves() {
    let service = Service::with("");
    let ann = service.person("ann", Role::User);
    earn(&service, &ann, 3_000_000_000);
    for body in [
        json!({}),
        json!({"quota": 0}),
        json!({"quota": -500_000}),
        json!({"quota": 499_999}),
        json!({"quota": 1_500_001}),
        json!({"quota": i64::MAX}),
        json!({"quota": 1.5}),
        json!({"quota": "500000"}),
    ] {
        let reply = service.call(&ann, TRANSFER, &body);
        assert_eq!(reply.status, 400, "{body}");
        let message = reply.json()["message"].as_str().unwrap().to_owned();
        assert!(message.starts_with("quota"), "{message}");
    }
    let has = service.balances(&ann);
    assert_eq!((has.wallet_nanos, has.referral_nanos), (0, 3_000_000_000));
}

#[test]
fn transfers_that_race_never_move_more_than_was_earned() {
    let service = Service::with("[referral]\nminimum_transfer_usd = \"0.5\"\n");
    let ann = service.person("ann", Role::User);
    earn(&service, &ann, 3_000_000_000);
    let body = json!({"quota": 250_000});
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let calls: Vec<_> = (0..20)
            .map(|_| scope.spawn(|| service.call(&ann, TRANSFER, &body).status))
            .collect();
        calls.into_iter().map(|call| call.join().unwrap()).collect()
    });
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 6);
    let has = service.balances(&ann);
    assert_eq!((has.wallet_nanos, has.referral_nanos), (3_000_000_000, 0));
}

/// The first top-up earns the inviter two dollars and the invited user one.
fn with_rewards() -> (Service, Person, Person) {
    let service = Service::with(
        "[payments.stripe]\nwebhook_secret = \"whsec_test_gateway_0001\"\n\
         [referral]\nevent = \"first_topup\"\ninviter_usd = \"2\"\ninvitee_usd = \"1\"\n",
    );
    let (ann, bob) = (
        service.person("ann", Role::User),
        service.person("bob", Role::User),
    );
    service.records(async |store| {
        let transaction = store.write().await.expect("the test gave it");
        referrals::insert(&transaction, bob.id, ann.id, 0)
            .await
            .expect("the test gave it");
        transaction.commit().await.expect("the test gave it");
    });
    (service, ann, bob)
}

#[test]
fn the_first_top_up_of_an_invited_user_is_rewarded_once_where_that_is_the_rule() {
    let (service, ann, bob) = with_rewards();
    for order in ["ord_1", "ord_2"] {
        service.order(order, "stripe", &bob);
        assert_eq!(
            service.verdict(&completed(&format!("evt_{order}"), order)),
            "credited"
        );
    }
    assert_eq!(service.balances(&ann).referral_nanos, 2_000_000_000);
    assert_eq!(service.balances(&bob).wallet_nanos, 21_000_000_000);
}

#[test]
fn a_reward_is_taken_back_with_the_payment_that_earned_it() {
    let (service, ann, bob) = with_rewards();
    service.order("ord_1", "stripe", &bob);
    service.verdict(&completed("evt_1", "ord_1"));
    let has = || {
        let earned = service.balances(&ann).referral_nanos;
        (earned, service.balances(&bob).wallet_nanos)
    };
    let refunded = |id: &str, minor: i64| {
        let charge = json!({"amount": 1000, "amount_refunded": minor,
            "metadata": {"order_id": "ord_1"}});
        service.verdict(&event(id, "charge.refunded", &charge))
    };
    refunded("evt_2", 400);
    assert_eq!(has(), (2_000_000_000, 7_000_000_000), "a part leaves it");
    refunded("evt_3", 1000);
    assert_eq!(has(), (0, 0));
    let failed = json!({"id": "re_1", "status": "failed", "amount": 600,
        "payment_intent": "pi_ord_1"});
    service.verdict(&event("evt_4", "refund.failed", &failed));
    assert_eq!(has(), (2_000_000_000, 7_000_000_000));
    // All of the rest is disputed, and then won.
    for (id, status, left) in [
        ("evt_5", "needs_response", (0, 0)),
        ("evt_6", "won", (2_000_000_000, 7_000_000_000)),
    ] {
        let dispute = json!({"id": "dp_1", "amount": 600, "status": status,
            "payment_intent": "pi_ord_1"});
        let kind = format!(
            "charge.dispute.{}",
            if id == "evt_5" { "created" } else { "closed" }
        );
        service.verdict(&event(id, &kind, &dispute));
        assert_eq!(has(), left, "{status}");
    }
}

#[test]
fn a_payment_that_was_refunded_before_it_came_earns_nothing() {
    let (service, ann, bob) = with_rewards();
    service.order("ord_1", "stripe", &bob);
    let charge = json!({"amount": 1000, "amount_refunded": 1000,
        "metadata": {"order_id": "ord_1"}});
    service.verdict(&event("evt_1", "charge.refunded", &charge));
    service.verdict(&completed("evt_2", "ord_1"));
    assert_eq!(service.balances(&ann).referral_nanos, 0);
    service.order("ord_2", "stripe", &bob);
    service.verdict(&completed("evt_3", "ord_2"));
    assert_eq!(service.balances(&ann).referral_nanos, 2_000_000_000);
    assert_eq!(service.balances(&bob).wallet_nanos, 11_000_000_000);
}
