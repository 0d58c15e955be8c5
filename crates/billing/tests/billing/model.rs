//! Random interleavings of everything that moves a user's money, against a model that is a few
//! sums. After each step the ledger balances and agrees with the model to the nano-dollar.

use billing::wallet::{Reservation, ReserveError, Wallets};
use store::ledger;
use store::{Store, UserId};

use crate::settling::wants;
use crate::support::{
    Place, Time, a_call, a_user, balances, charge, credit, fund, node, revenue, settings, verify,
};

on_both_engines!(
    every_interleaving_agrees_with_the_model_one,
    every_interleaving_agrees_with_the_model_two,
    every_interleaving_agrees_with_the_model_three,
    every_interleaving_agrees_with_the_model_four,
);

const STEPS: usize = 100;
const NODES: [&str; 2] = ["one", "two"];

async fn every_interleaving_agrees_with_the_model_one(place: Place) {
    play(place, [1, 2, 3]).await;
}

async fn every_interleaving_agrees_with_the_model_two(place: Place) {
    play(place, [4, 5, 6]).await;
}

async fn every_interleaving_agrees_with_the_model_three(place: Place) {
    play(place, [7, 8, 9]).await;
}

async fn every_interleaving_agrees_with_the_model_four(place: Place) {
    play(place, [10, 11, 12]).await;
}

/// All of it on one database: the seed of each run goes on where the former one ended.
async fn play(place: Place, seeds: [u64; 3]) {
    let store = place.open().await;
    let user = a_user(&store, 0).await;
    let mut world = World::new(store, user).await;
    for seed in seeds {
        world.random = Random(seed);
        for step in 0..STEPS {
            world.step(seed, step).await;
        }
    }
    world.end().await;
}

/// Numbers that look random and come again with the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    fn amount(&mut self, bound: u64) -> i64 {
        i64::try_from(self.below(bound)).unwrap() + 1
    }
}

struct World {
    store: Store,
    user: UserId,
    time: Time,
    random: Random,
    nodes: Vec<Wallets>,
    running: Vec<(usize, Reservation)>,
    /// What came in, less what was taken back: the whole model of the user's money.
    paid_in: i64,
    charged: i64,
    calls: usize,
}

impl World {
    async fn new(store: Store, user: UserId) -> Self {
        let time = Time::new();
        let mut nodes = Vec::new();
        for name in NODES {
            nodes.push(node(&store, &time, settings(name)).await);
        }
        Self {
            store,
            user,
            time,
            random: Random(0),
            nodes,
            running: Vec::new(),
            paid_in: 0,
            charged: 0,
            calls: 0,
        }
    }

    async fn step(&mut self, seed: u64, step: usize) {
        match self.random.below(20) {
            0..7 => self.reserve().await,
            7..12 => self.settle().await,
            12..14 => self.disconnect(),
            14..16 => self.top_up(seed, step).await,
            16 => self.refund(seed, step).await,
            17 => self.crash().await,
            18 => self.restless_time().await,
            _ => self.upkeep().await,
        }
        self.check(seed, step).await;
    }

    fn reserved(&self) -> i64 {
        let amounts = self.running.iter().map(|(_, call)| call.amount_nanos());
        amounts.sum()
    }

    async fn reserve(&mut self) {
        let at = usize::try_from(self.random.below(2)).unwrap();
        let amount = self.random.amount(2_000);
        let left = self.paid_in - self.charged - self.reserved();
        match self.nodes[at].reserve(wants(self.user, amount)).await {
            Ok(reservation) => {
                assert!(amount <= left, "{amount} reserved of {left}");
                self.running.push((at, reservation));
            }
            Err(ReserveError::NotEnough { affordable_nanos }) => {
                assert!(amount > left, "{amount} refused of {left}");
                assert!(affordable_nanos <= left.max(0));
            }
            Err(error) => panic!("{error}"),
        }
    }

    fn some_call(&mut self) -> Option<(usize, Reservation)> {
        let count = u64::try_from(self.running.len()).unwrap();
        if count == 0 {
            return None;
        }
        let at = usize::try_from(self.random.below(count)).unwrap();
        Some(self.running.swap_remove(at))
    }

    async fn settle(&mut self) {
        let Some((_, reservation)) = self.some_call() else {
            return;
        };
        let bound = u64::try_from(reservation.amount_nanos()).unwrap();
        let cost = i64::try_from(self.random.below(bound + 1)).unwrap();
        self.calls += 1;
        let id = format!("call-{}", self.calls);
        let call = a_call(self.user, None, &id, self.time.now());
        let written = reservation.settle(charge(cost), call, vec![]);
        written.wait().await.unwrap();
        self.charged += cost;
    }

    fn disconnect(&mut self) {
        drop(self.some_call());
    }

    async fn top_up(&mut self, seed: u64, step: usize) {
        let nanos = self.random.amount(5_000);
        fund(&self.store, self.user, &format!("{seed}-{step}"), nanos).await;
        self.paid_in += nanos;
    }

    /// Takes back no more than the wallet itself has: what calls hold stays theirs.
    async fn refund(&mut self, seed: u64, step: usize) {
        let has = balances(&self.store, self.user).await.wallet_nanos;
        let nanos = self.random.amount(1_000).min(has);
        if nanos == 0 {
            return;
        }
        let transaction = self.store.write().await.unwrap();
        let refund = credit(self.user, &format!("back-{seed}-{step}"), nanos);
        ledger::take_back(&transaction, &refund).await.unwrap();
        transaction.commit().await.unwrap();
        self.paid_in -= nanos;
    }

    /// A node dies with its calls and starts again.
    async fn crash(&mut self) {
        let at = usize::try_from(self.random.below(2)).unwrap();
        let running = std::mem::take(&mut self.running);
        for (place, reservation) in running {
            if place == at {
                std::mem::forget(reservation);
            } else {
                self.running.push((place, reservation));
            }
        }
        self.nodes[at] = node(&self.store, &self.time, settings(NODES[at])).await;
    }

    /// Time goes on for as long as leases may live, with both nodes looking after them.
    async fn restless_time(&mut self) {
        for _ in 0..3 {
            self.time.advance(20_000);
            self.upkeep().await;
        }
    }

    async fn upkeep(&mut self) {
        for node in &self.nodes {
            node.upkeep().await.unwrap();
        }
    }

    async fn check(&self, seed: u64, step: usize) {
        verify(&self.store).await;
        let has = balances(&self.store, self.user).await;
        let total = has.wallet_nanos + has.held_nanos;
        let expected = self.paid_in - self.charged;
        assert_eq!(total, expected, "seed {seed}, step {step}");
        assert_eq!(has.owed_nanos, 0, "seed {seed}, step {step}");
        assert!(has.wallet_nanos >= 0 && has.held_nanos >= self.reserved());
        assert_eq!(revenue(&self.store).await, self.charged);
    }

    async fn end(mut self) {
        self.running.clear();
        for node in &self.nodes {
            node.give_back_all().await.unwrap();
        }
        let has = balances(&self.store, self.user).await;
        assert_eq!(has.held_nanos, 0);
        assert_eq!(has.wallet_nanos, self.paid_in - self.charged);
        verify(&self.store).await;
    }
}
