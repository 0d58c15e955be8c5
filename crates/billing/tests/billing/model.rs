//! Random interleavings of everything that moves a user's money, against a model that is a few
//! sums. After each step the ledger balances and agrees with the model to the nano-dollar.

use std::time::Duration;

use billing::wallet::{Reservation, ReserveError, Wallets};
use store::{Store, UserId};

use crate::excess::loss;
use crate::settling::wants;
use crate::support::{
    Place, Time, a_call, a_user, balances, charge, node, revenue, settings, verify,
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
pub struct Random(u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % bound
    }

    pub fn amount(&mut self, bound: u64) -> i64 {
        i64::try_from(self.below(bound)).unwrap() + 1
    }
}

pub struct World {
    pub store: Store,
    pub user: UserId,
    time: Time,
    pub random: Random,
    pub nodes: Vec<Wallets>,
    running: Vec<(usize, Reservation)>,
    /// What came in, less what was taken back: with the next two, the whole model of the user's
    /// money.
    pub paid_in: i64,
    charged: i64,
    /// What calls cost that nobody paid.
    lost: i64,
    pub earned: i64,
    /// Numbers whatever needs a name of its own.
    count: usize,
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
            lost: 0,
            earned: 0,
            count: 0,
        }
    }

    pub fn name(&mut self) -> String {
        self.count += 1;
        format!("{}", self.count)
    }

    async fn step(&mut self, seed: u64, step: usize) {
        match self.random.below(26) {
            0..8 => self.reserve().await,
            8..13 => self.settle().await,
            13..15 => self.disconnect(),
            15..17 => self.top_up().await,
            17 => self.redeem().await,
            18 => self.be_rewarded().await,
            19 => self.transfer().await,
            20 => self.adjust().await,
            21 => self.refund().await,
            22..24 => self.crash().await,
            24 => self.restless_time().await,
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
            Err(ReserveError::NotEnough {
                affordable_nanos, ..
            }) => {
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

    /// One in four calls uses more than it reserved; it pays that as far as the wallet goes.
    async fn settle(&mut self) {
        let Some((_, reservation)) = self.some_call() else {
            return;
        };
        let amount = reservation.amount_nanos();
        let bound = u64::try_from(amount).unwrap();
        let cost = match self.random.below(4) {
            0 => amount + self.random.amount(500),
            _ => i64::try_from(self.random.below(bound + 1)).unwrap(),
        };
        let id = format!("call-{}", self.name());
        let call = a_call(self.user, None, &id, self.time.now());
        let written = reservation.settle(charge(cost), call);
        written.wait().await.unwrap();
        let lost = loss(&self.store).await;
        let paid = revenue(&self.store).await - lost - self.charged;
        assert!(
            (cost.min(amount)..=cost).contains(&paid),
            "{paid} of {cost}"
        );
        assert_eq!(paid + lost - self.lost, cost);
        self.charged += paid;
        self.lost = lost;
    }

    fn disconnect(&mut self) {
        drop(self.some_call());
    }

    /// A node dies with its calls and starts again. What it had in memory is gone; what it was
    /// about to ask the records for has arrived or never will.
    async fn crash(&mut self) {
        let at = usize::try_from(self.random.below(2)).unwrap();
        tokio::time::sleep(Duration::from_millis(30)).await;
        self.running.retain(|(place, _)| *place != at);
        self.nodes[at] = self.nodes[1 - at].clone();
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
        let place = format!("seed {seed}, step {step}: {has:?}");
        let total = has.wallet_nanos + has.held_nanos - has.owed_nanos;
        assert_eq!(total, self.paid_in - self.charged, "{place}");
        assert!(has.wallet_nanos >= 0 && has.owed_nanos >= 0, "{place}");
        assert!(has.wallet_nanos == 0 || has.owed_nanos == 0, "{place}");
        assert!(has.held_nanos >= self.reserved(), "{place}");
        assert_eq!(has.referral_nanos, self.earned, "{place}");
        assert_eq!(
            revenue(&self.store).await,
            self.charged + self.lost,
            "{place}"
        );
    }

    async fn end(mut self) {
        self.running.clear();
        for node in &self.nodes {
            node.give_back_all().await.unwrap();
        }
        let has = balances(&self.store, self.user).await;
        assert_eq!(has.held_nanos, 0);
        let left = self.paid_in - self.charged;
        assert_eq!(
            (has.wallet_nanos, has.owed_nanos),
            (left.max(0), (-left).max(0))
        );
        verify(&self.store).await;
    }
}
