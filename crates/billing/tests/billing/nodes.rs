//! Several nodes: slices asked back, nodes that die and come back, charges that come late.

use billing::wallet::Settings;
use store::ledger::{self, Account};
use store::{ConnectionTrait as _, leases, request_log};

use crate::settling::wants;
use crate::support::{
    Place, Time, a_call, a_named_user, a_user, balances, charge, fund, node, revenue, settings,
    verify,
};

on_both_engines!(
    a_node_gets_what_another_one_does_not_need,
    what_a_dead_node_left_is_taken_back,
    a_node_that_comes_back_gives_back_what_it_left,
    a_charge_after_the_lease_was_taken_away_is_charged_once,
    a_late_charge_that_the_wallet_cannot_pay_is_owed,
);

async fn a_node_gets_what_another_one_does_not_need(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000).await;
    let (one, two) = (
        node(&store, &time, settings("one")).await,
        node(&store, &time, settings("two")).await,
    );
    let running = one.reserve(wants(user, 300)).await.unwrap();
    one.reserve(wants(user, 600)).await.unwrap().release();
    assert_eq!(balances(&store, user).await.held_nanos, 900);
    let all = two.reserve(wants(user, 700)).await.unwrap();
    assert!(two.reserve(wants(user, 1)).await.is_err());
    assert!(one.reserve(wants(user, 1)).await.is_err());
    drop(all);
    one.reserve(wants(user, 650)).await.unwrap().release();
    drop(running);
    one.give_back_all().await.unwrap();
    two.give_back_all().await.unwrap();
    assert_eq!(balances(&store, user).await.wallet_nanos, 1_000);
    verify(&store).await;
}

async fn what_a_dead_node_left_is_taken_back(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000).await;
    let dead = node(&store, &time, settings("dead")).await;
    let call = dead.reserve(wants(user, 1_000)).await.unwrap();
    let written = call.settle(charge(100), a_call(user, None, "r1", time.now()));
    written.wait().await.unwrap();
    let lost = dead.reserve(wants(user, 900)).await.unwrap();
    std::mem::forget(lost);
    drop(dead);
    let living = node(&store, &time, settings("living")).await;
    assert!(living.reserve(wants(user, 1)).await.is_err());
    time.advance(60_000);
    living.reserve(wants(user, 900)).await.unwrap().release();
    living.give_back_all().await.unwrap();
    let after = balances(&store, user).await;
    assert_eq!((after.wallet_nanos, after.held_nanos), (900, 0));
    verify(&store).await;
}

async fn a_node_that_comes_back_gives_back_what_it_left(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000).await;
    let first = node(&store, &time, settings("a")).await;
    std::mem::forget(first.reserve(wants(user, 1_000)).await.unwrap());
    drop(first);
    let again = node(&store, &time, settings("a")).await;
    assert_eq!(balances(&store, user).await.held_nanos, 0);
    again.reserve(wants(user, 1_000)).await.unwrap().release();
    verify(&store).await;
}

async fn a_charge_after_the_lease_was_taken_away_is_charged_once(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 100_000).await;
    let slow = node(&store, &time, settings("slow")).await;
    let call = slow.reserve(wants(user, 1_000)).await.unwrap();
    time.advance(60_000);
    let other = node(&store, &time, settings("other")).await;
    other.upkeep().await.unwrap();
    assert_eq!(balances(&store, user).await.held_nanos, 0);
    let written = call.settle(charge(700), a_call(user, None, "r1", time.now()));
    written.wait().await.unwrap();
    assert_eq!(revenue(&store).await, 700);
    assert_eq!(balances(&store, user).await.wallet_nanos, 99_300);
    slow.reserve(wants(user, 99_300)).await.unwrap().release();
    slow.give_back_all().await.unwrap();
    assert!(
        request_log::find(store.read(), "r1")
            .await
            .unwrap()
            .is_some()
    );
    verify(&store).await;
}

async fn a_late_charge_that_the_wallet_cannot_pay_is_owed(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let user = a_user(&store, 1_000).await;
    let slow = node(&store, &time, settings("slow")).await;
    let call = slow.reserve(wants(user, 1_000)).await.unwrap();
    time.advance(60_000);
    let other = node(&store, &time, settings("other")).await;
    let taken = other.reserve(wants(user, 800)).await.unwrap();
    let written = call.settle(charge(700), a_call(user, None, "late", time.now()));
    written.wait().await.unwrap();
    drop(taken);
    other.give_back_all().await.unwrap();
    let after = balances(&store, user).await;
    assert!(after.wallet_nanos >= 0 && after.owed_nanos >= 0);
    assert_eq!(after.wallet_nanos - after.owed_nanos, 300);
    let revenue = ledger::balance(store.read(), Account::Revenue).await;
    assert_eq!(revenue.unwrap(), 700);
    verify(&store).await;
}

/// A commit that fails may have come about: what it gave back may be another node's by now.
async fn what_may_have_gone_back_is_not_spent_and_others_are_answered(place: Place) {
    let (store, time) = (place.open().await, Time::new());
    let (ann, bob) = (
        a_user(&store, 1_000).await,
        a_named_user(&store, "bob").await,
    );
    fund(&store, bob, "bob", 1_000).await;
    let quiet = Settings {
        recall_poll: None,
        ..settings("one")
    };
    let one = node(&store, &time, quiet).await;
    let transaction = store.write().await.unwrap();
    for user in [ann, bob] {
        one.reserve(wants(user, 500)).await.unwrap().release();
        let asked = leases::recall(&transaction, user, "two", time.now()).await;
        assert_eq!(asked.unwrap(), 1);
    }
    transaction.commit().await.unwrap();
    let transaction = store.write().await.unwrap();
    let fails_at_commit = format!(
        "CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS \
         $$ BEGIN RAISE EXCEPTION 'at the commit'; END $$; \
         CREATE CONSTRAINT TRIGGER fails AFTER UPDATE ON leases DEFERRABLE INITIALLY DEFERRED \
         FOR EACH ROW WHEN (NEW.user_id = {ann}) EXECUTE FUNCTION fail()"
    );
    let made = transaction.execute_unprepared(&fails_at_commit).await;
    made.unwrap();
    transaction.commit().await.unwrap();

    one.answer_recalls().await.unwrap_err();
    assert_eq!(one.figures().free_nanos, 0);
    assert_eq!(balances(&store, bob).await.wallet_nanos, 1_000);

    let transaction = store.write().await.unwrap();
    let dropped = transaction.execute_unprepared("DROP FUNCTION fail CASCADE");
    dropped.await.unwrap();
    transaction.commit().await.unwrap();
    time.advance(60_000);
    one.upkeep().await.unwrap();
    assert_eq!(balances(&store, ann).await.wallet_nanos, 1_000);
    verify(&store).await;
}

mod failing_commits {
    use super::what_may_have_gone_back_is_not_spent_and_others_are_answered;

    on_postgres!(what_may_have_gone_back_is_not_spent_and_others_are_answered);
}
