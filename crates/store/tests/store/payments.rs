//! Orders, webhook events, redemption codes and referrals: money from outside counts once.

use store::ledger::{self, Account, Movement};
use store::order_claims::{self, DisputeState};
use store::redemption_codes::{self, CodeFilter, CodeState, NewRedemptionCodes};
use store::referrals::Rewards;
use store::top_ups::{self, NewOrder, Order, OrderFilter, OrderStatus};
use store::webhook_events::{self, EventFilter, NewWebhookEvent, RefusedDelivery};
use store::{Page, Store, StoreError, UserId, referrals};

use crate::support::{Place, a_user};

on_both_engines!(
    an_order_is_credited_once_by_16_racing_tasks,
    a_payment_counts_after_the_order_was_given_up,
    orders_are_found_by_what_the_provider_calls_them,
    an_event_is_finished_once,
    of_refused_deliveries_only_the_newest_are_kept,
    a_dispute_that_is_decided_stays_so_whatever_comes_late,
    a_code_that_is_switched_off_is_not_redeemed_until_it_is_on_again,
    a_code_is_redeemed_once_by_racing_users,
    a_code_that_is_over_is_not_redeemed,
    an_invitation_is_rewarded_once,
    orders_that_were_asked_about_wait_behind_the_others,
    an_order_is_given_up_once_its_provider_was_asked_after_its_end,
    a_reward_goes_with_the_order_that_earned_it,
);

const ALL: Page = Page {
    number: 1,
    size: 100,
};

async fn order(store: &Store, id: &str, user_id: UserId) -> Order {
    let new = NewOrder {
        id: id.to_owned(),
        user_id,
        provider: "sandbox".to_owned(),
        amount_minor: 1000,
        currency: "usd".to_owned(),
        credit_nanos: 10_000_000_000,
        now: 1000,
        expires_at: 2000,
    };
    let transaction = store.write().await.unwrap();
    let order = top_ups::insert(&transaction, new).await.unwrap();
    transaction.commit().await.unwrap();
    order
}

fn only(user: UserId) -> OrderFilter {
    OrderFilter {
        user_id: Some(user),
        ..OrderFilter::default()
    }
}

async fn wallet(store: &Store, user: UserId) -> i64 {
    assert_eq!(ledger::verify(store.read()).await.unwrap().differences, []);
    ledger::balance(store.read(), Account::Wallet(user))
        .await
        .unwrap()
}

async fn an_order_is_credited_once_by_16_racing_tasks(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    let made = order(&store, "ord_1", user).await;
    assert_eq!(
        (made.status, made.session_id, made.completed_at),
        (OrderStatus::Pending, None, None)
    );
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let transaction = store.write().await.unwrap();
                let paid = top_ups::complete(&transaction, "ord_1", 1500)
                    .await
                    .unwrap();
                transaction.commit().await.unwrap();
                usize::from(paid.is_some())
            })
        })
        .collect();
    let mut credited = 0;
    for task in tasks {
        credited += task.await.unwrap();
    }
    assert_eq!(credited, 1);
    assert_eq!(wallet(&store, user).await, 10_000_000_000);
    let paid = top_ups::get(store.read(), "ord_1").await.unwrap().unwrap();
    assert_eq!(
        (paid.status, paid.completed_at),
        (OrderStatus::Paid, Some(1500))
    );
    let transaction = store.write().await.unwrap();
    assert_eq!(
        top_ups::complete(&transaction, "unknown", 1500)
            .await
            .unwrap(),
        None
    );
}

async fn a_payment_counts_after_the_order_was_given_up(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    order(&store, "late", user).await;
    order(&store, "wrong", user).await;
    let transaction = store.write().await.unwrap();
    let (pending, expired) = (OrderStatus::Pending, OrderStatus::Expired);
    assert!(
        top_ups::change_status(&transaction, "late", pending, expired)
            .await
            .unwrap()
    );
    assert!(
        !top_ups::change_status(&transaction, "late", pending, expired)
            .await
            .unwrap()
    );
    let mismatch = OrderStatus::Mismatch;
    assert!(
        top_ups::change_status(&transaction, "wrong", pending, mismatch)
            .await
            .unwrap()
    );
    assert!(
        top_ups::complete(&transaction, "late", 9000)
            .await
            .unwrap()
            .is_some()
    );
    assert!(
        top_ups::complete(&transaction, "wrong", 9000)
            .await
            .unwrap()
            .is_none()
    );
    transaction.commit().await.unwrap();
    assert_eq!(wallet(&store, user).await, 10_000_000_000);
}

async fn orders_are_found_by_what_the_provider_calls_them(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    order(&store, "ord_1", ann).await;
    order(&store, "ord_2", bob).await;
    let transaction = store.write().await.unwrap();
    let noted = top_ups::note_provider_ids(&transaction, "ord_1", Some("cs_1"), None).await;
    assert!(noted.unwrap());
    let noted = top_ups::note_provider_ids(&transaction, "ord_1", None, Some("pi_1")).await;
    assert!(noted.unwrap());
    transaction.commit().await.unwrap();
    let found = top_ups::find_by_payment(store.read(), "sandbox", "pi_1")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (found.id.as_str(), found.session_id.as_deref()),
        ("ord_1", Some("cs_1"))
    );
    assert_eq!(
        top_ups::find_by_payment(store.read(), "stripe", "pi_1")
            .await
            .unwrap(),
        None
    );
    let of_bob = top_ups::list(store.read(), &only(bob), ALL).await.unwrap();
    assert_eq!((of_bob.total, of_bob.items[0].id.as_str()), (1, "ord_2"));
    assert_eq!(
        top_ups::list(store.read(), &OrderFilter::default(), ALL)
            .await
            .unwrap()
            .total,
        2
    );

    let transaction = store.write().await.unwrap();
    let error = top_ups::note_provider_ids(&transaction, "ord_2", Some("cs_1"), None).await;
    assert!(matches!(error.unwrap_err(), StoreError::Conflict(_)));
}

async fn an_event_is_finished_once(place: Place) {
    let store = place.open().await;
    let event = NewWebhookEvent {
        provider: "stripe".to_owned(),
        event_id: "evt_1".to_owned(),
        event_type: "checkout.session.completed".to_owned(),
        payload_hash: vec![1, 2, 3],
        facts: serde_json::json!({}),
        payment_id: None,
        now: 1000,
    };
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let (store, event) = (store.clone(), event.clone());
            tokio::spawn(async move {
                let transaction = store.write().await.unwrap();
                let received = webhook_events::receive(&transaction, &event).await.unwrap();
                let is_first = received.processed_at.is_none();
                if is_first {
                    let finish = webhook_events::finish(
                        &transaction,
                        "stripe",
                        "evt_1",
                        Some("ord_1"),
                        "credited",
                        1001,
                    );
                    assert!(finish.await.unwrap());
                }
                transaction.commit().await.unwrap();
                usize::from(is_first)
            })
        })
        .collect();
    let mut acted = 0;
    for task in tasks {
        acted += task.await.unwrap();
    }
    assert_eq!(acted, 1);
    let kept = webhook_events::get(store.read(), "stripe", "evt_1")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (kept.result.as_deref(), kept.processed_at),
        (Some("credited"), Some(1001))
    );
    assert_eq!(kept.payload_hash, [1, 2, 3]);
    assert_eq!(
        webhook_events::get(store.read(), "sandbox", "evt_1")
            .await
            .unwrap(),
        None
    );
    assert_eq!((kept.deliveries, kept.received_at), (16, 1000));
}

async fn of_refused_deliveries_only_the_newest_are_kept(place: Place) {
    let store = place.open().await;
    let transaction = store.write().await.unwrap();
    for number in 0..520 {
        let refused = RefusedDelivery {
            provider: "stripe".to_owned(),
            id: format!("refused_{number}"),
            verdict: "bad_signature".to_owned(),
            payload_hash: vec![1],
            facts: serde_json::json!({"bytes": 1}),
            now: number,
        };
        webhook_events::note_refused(&transaction, &refused)
            .await
            .unwrap();
    }
    transaction.commit().await.unwrap();
    let (mut seen, mut cursor) = (0, None);
    loop {
        let filter = EventFilter::default();
        let page = webhook_events::page(store.read(), &filter, cursor.as_ref(), 200)
            .await
            .unwrap();
        seen += page.items.len();
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(seen, 501);
}

async fn a_dispute_that_is_decided_stays_so_whatever_comes_late(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    order(&store, "ord_1", user).await;
    for (state, held) in [
        (DisputeState::Noted, 0),
        (DisputeState::Held, 700),
        (DisputeState::Noted, 700),
        (DisputeState::Won, 0),
        (DisputeState::Held, 0),
        (DisputeState::Lost, 0),
    ] {
        let transaction = store.write().await.unwrap();
        order_claims::note_dispute(&transaction, "stripe", "dp_1", "ord_1", 700, state)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        let disputed = order_claims::disputed_minor(store.read(), "ord_1").await;
        assert_eq!(disputed.unwrap(), held, "{state:?}");
    }
}

async fn a_code_that_is_switched_off_is_not_redeemed_until_it_is_on_again(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    make_codes(&store, "spring", vec![vec![1]], None).await;
    let code = redemption_codes::find(store.read(), &[1])
        .await
        .unwrap()
        .unwrap();
    for (disabled_at, is_redeemed) in [(Some(1100), false), (None, true)] {
        let transaction = store.write().await.unwrap();
        assert!(
            redemption_codes::set_disabled(&transaction, code.id, disabled_at)
                .await
                .unwrap()
        );
        let redeemed = redemption_codes::redeem(&transaction, &[1], user, 1500)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        assert_eq!(redeemed.is_some(), is_redeemed);
    }
    let transaction = store.write().await.unwrap();
    let done = redemption_codes::set_disabled(&transaction, code.id, Some(1600)).await;
    assert!(!done.unwrap(), "what was redeemed stays so");
}

/// Orders that wait at checkouts; they end at 2000.
async fn at_checkouts(store: &Store, ids: &[&str]) {
    let user = a_user(store, "ann").await;
    for id in ids {
        order(store, id, user).await;
        let transaction = store.write().await.unwrap();
        let noted = top_ups::note_provider_ids(&transaction, id, Some(id), None).await;
        assert!(noted.unwrap());
        transaction.commit().await.unwrap();
    }
}

async fn ask_about(store: &Store, id: &str, now: i64) {
    let transaction = store.write().await.unwrap();
    top_ups::note_asked(&transaction, id, now).await.unwrap();
    transaction.commit().await.unwrap();
}

async fn orders_that_were_asked_about_wait_behind_the_others(place: Place) {
    let store = place.open().await;
    at_checkouts(&store, &["a", "b", "c"]).await;
    let next = async || {
        let waiting = top_ups::waiting(store.read(), "sandbox", 5000, 2).await;
        let waiting = waiting.unwrap().into_iter();
        waiting.map(|order| order.id).collect::<Vec<String>>()
    };
    assert_eq!(next().await, ["a", "b"]);
    ask_about(&store, "a", 5000).await;
    ask_about(&store, "b", 5001).await;
    assert_eq!(next().await, ["c", "a"], "nobody is forgotten");
    ask_about(&store, "c", 5002).await;
    assert_eq!(next().await, ["a", "b"]);
}

async fn an_order_is_given_up_once_its_provider_was_asked_after_its_end(place: Place) {
    let store = place.open().await;
    at_checkouts(&store, &["asked", "early", "never"]).await;
    ask_about(&store, "early", 1999).await;
    ask_about(&store, "asked", 2000).await;
    let expire = async |before, unasked_before| {
        let ended = top_ups::Ended {
            before,
            unasked_before,
            under_way_before: 0,
        };
        let transaction = store.write().await.unwrap();
        let given_up = top_ups::expire(&transaction, ended).await;
        transaction.commit().await.unwrap();
        given_up.unwrap()
    };
    assert_eq!(expire(2000, 0).await, 0, "none has ended");
    assert_eq!(expire(2001, 0).await, 1);
    let asked = top_ups::get(store.read(), "asked").await.unwrap();
    assert_eq!(asked.unwrap().status, OrderStatus::Expired);
    assert_eq!(expire(3000, 2001).await, 2, "nobody answers for ever");
}

async fn make_codes(store: &Store, name: &str, hashes: Vec<Vec<u8>>, expires_at: Option<i64>) {
    let new = NewRedemptionCodes {
        name: name.to_owned(),
        code_hashes: hashes,
        credit_nanos: 500,
        created_by: None,
        expires_at,
        now: 1000,
    };
    let transaction = store.write().await.unwrap();
    redemption_codes::insert(&transaction, new).await.unwrap();
    transaction.commit().await.unwrap();
}

async fn a_code_is_redeemed_once_by_racing_users(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    make_codes(&store, "spring", vec![vec![1], vec![2]], None).await;
    let tasks: Vec<_> = (0..16)
        .map(|number| {
            let store = store.clone();
            let user = if number % 2 == 0 { ann } else { bob };
            tokio::spawn(async move {
                let transaction = store.write().await.unwrap();
                let code = redemption_codes::redeem(&transaction, &[1], user, 1500)
                    .await
                    .unwrap();
                transaction.commit().await.unwrap();
                usize::from(code.is_some())
            })
        })
        .collect();
    let mut redeemed = 0;
    for task in tasks {
        redeemed += task.await.unwrap();
    }
    assert_eq!(redeemed, 1);
    assert_eq!(wallet(&store, ann).await + wallet(&store, bob).await, 500);

    let search = async |name: &str, state| {
        let filter = CodeFilter {
            name: Some(name.to_owned()),
            state,
            ..CodeFilter::default()
        };
        let listed = redemption_codes::list(store.read(), &filter, ALL, 2_000).await;
        listed.unwrap()
    };
    let listed = search("spring", None).await;
    let (unused, used) = (&listed.items[0], &listed.items[1]);
    assert_eq!((unused.redeemed_at, used.redeemed_at), (None, Some(1500)));
    for (name, state, count) in [
        ("x", None, 0),
        ("spring", Some(CodeState::Redeemed), 1),
        ("spring", Some(CodeState::Active), 1),
        ("spring", Some(CodeState::Disabled), 0),
        ("spring", Some(CodeState::Expired), 0),
    ] {
        assert_eq!(search(name, state).await.total, count, "{name} {state:?}");
    }
    let transaction = store.write().await.unwrap();
    assert!(
        !redemption_codes::delete(&transaction, used.id)
            .await
            .unwrap()
    );
    assert!(
        redemption_codes::delete(&transaction, unused.id)
            .await
            .unwrap()
    );
}

async fn a_code_that_is_over_is_not_redeemed(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    make_codes(&store, "short", vec![vec![1], vec![2]], Some(2000)).await;
    let transaction = store.write().await.unwrap();
    let late = redemption_codes::redeem(&transaction, &[1], user, 2000)
        .await
        .unwrap();
    assert_eq!(late, None);
    let in_time = redemption_codes::redeem(&transaction, &[2], user, 1999)
        .await
        .unwrap();
    assert_eq!(in_time.and_then(|code| code.redeemed_by), Some(user));
}

async fn an_invitation_is_rewarded_once(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    let rewards = Rewards {
        inviter_nanos: 70,
        invitee_nanos: 30,
    };
    let transaction = store.write().await.unwrap();
    referrals::insert(&transaction, bob, ann, 1000)
        .await
        .unwrap();
    assert!(
        !referrals::reward(&transaction, ann, rewards, 1500)
            .await
            .unwrap()
    );
    assert!(
        referrals::reward(&transaction, bob, rewards, 1500)
            .await
            .unwrap()
    );
    assert!(
        !referrals::reward(&transaction, bob, rewards, 1600)
            .await
            .unwrap()
    );
    transaction.commit().await.unwrap();
    let earned = ledger::balance(store.read(), Account::Referral(ann))
        .await
        .unwrap();
    assert_eq!((earned, wallet(&store, bob).await), (70, 30));
    assert_eq!(referrals::count(store.read(), ann).await.unwrap(), 1);
    let kept = referrals::get(store.read(), bob).await.unwrap().unwrap();
    assert_eq!((kept.inviter_id, kept.credited_at), (ann, Some(1500)));
    assert_eq!(referrals::get(store.read(), ann).await.unwrap(), None);
    let transaction = store.write().await.unwrap();
    let error = referrals::insert(&transaction, bob, ann, 1000)
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Conflict(_)), "{error}");
}

async fn a_reward_goes_with_the_order_that_earned_it(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    let rewards = Rewards {
        inviter_nanos: 70,
        invitee_nanos: 30,
    };
    let transaction = store.write().await.unwrap();
    let invited = referrals::insert(&transaction, bob, ann, 1000).await;
    invited.unwrap();
    transaction.commit().await.unwrap();
    let earn = async |order: &str| {
        let transaction = store.write().await.unwrap();
        let earned = referrals::reward_order(&transaction, bob, rewards, order, 1500).await;
        transaction.commit().await.unwrap();
        earned.unwrap()
    };
    let settle = async |order: &str, is_gone: bool| {
        let transaction = store.write().await.unwrap();
        let settled = referrals::settle_order(&transaction, order, is_gone, 1600).await;
        settled.unwrap();
        transaction.commit().await.unwrap();
    };
    // What the inviter earned, what both wallets hold, and what the inviter owes.
    let has = async || {
        let bobs = wallet(&store, bob).await;
        let anns = ledger::balances(store.read(), &[ann]).await.unwrap()[&ann];
        (
            anns.referral_nanos,
            bobs,
            anns.wallet_nanos,
            anns.owed_nanos,
        )
    };
    assert!(earn("one").await && !earn("two").await);
    assert_eq!(has().await, (70, 30, 0, 0));
    settle("two", true).await;
    settle("one", false).await;
    assert_eq!(has().await, (70, 30, 0, 0), "nothing has happened to it");
    for _ in 0..2 {
        settle("one", true).await;
        assert_eq!(has().await, (0, 0, 0, 0));
    }
    for _ in 0..2 {
        settle("one", false).await;
        assert_eq!(has().await, (70, 30, 0, 0));
    }
    // The inviter has moved some of it, and spent a part of that.
    let transaction = store.write().await.unwrap();
    let moves = [
        (Account::Referral(ann), Account::Wallet(ann), 50),
        (Account::Wallet(ann), Account::Revenue, 40),
    ];
    for (number, (from, to, amount_nanos)) in moves.into_iter().enumerate() {
        let movement = Movement {
            key: format!("test:{number}"),
            from,
            to,
            amount_nanos,
            reference_kind: "test",
            reference_id: String::new(),
            reason: None,
            at: 1700,
        };
        ledger::post(&transaction, &[movement]).await.unwrap();
    }
    transaction.commit().await.unwrap();
    settle("one", true).await;
    assert_eq!(has().await, (0, 0, 0, 40));
    // Another order earns it again; the first one does so no more.
    assert!(earn("three").await);
    settle("one", false).await;
    assert_eq!(has().await, (70, 30, 0, 40));
}
