//! What moves money in the model beside calls: payments, codes, invitations, corrections, refunds.

use billing::credits::{Adjustment, adjust, take_back, transfer};
use store::ledger::Outcome;
use store::redemption_codes::{self, NewRedemptionCodes};
use store::referrals::{self, Rewards};
use store::top_ups::{self, NewOrder};
use store::{StoreError, UserId};

use crate::model::World;
use crate::support::{a_named_user, credit};

impl World {
    /// An order is paid; the provider tells it twice.
    pub async fn top_up(&mut self) {
        let (id, nanos) = (format!("order-{}", self.name()), self.random.amount(5_000));
        let new = NewOrder {
            id: id.clone(),
            user_id: self.user,
            provider: "sandbox".to_owned(),
            amount_minor: 1,
            currency: "usd".to_owned(),
            credit_nanos: nanos,
            now: 0,
            expires_at: 1,
        };
        let transaction = self.store.write().await.unwrap();
        top_ups::insert(&transaction, new).await.unwrap();
        for is_first in [true, false] {
            let paid = top_ups::complete(&transaction, &id, 1).await.unwrap();
            assert_eq!(paid.is_some(), is_first);
        }
        transaction.commit().await.unwrap();
        self.paid_in += nanos;
    }

    /// A code is entered twice.
    pub async fn redeem(&mut self) {
        let (name, nanos) = (self.name(), self.random.amount(2_000));
        let hash = name.clone().into_bytes();
        let codes = NewRedemptionCodes {
            name,
            code_hashes: vec![hash.clone()],
            credit_nanos: nanos,
            created_by: None,
            now: 0,
            expires_at: None,
        };
        let transaction = self.store.write().await.unwrap();
        redemption_codes::insert(&transaction, codes).await.unwrap();
        for is_first in [true, false] {
            let redeemed = redemption_codes::redeem(&transaction, &hash, self.user, 1).await;
            assert_eq!(redeemed.unwrap().is_some(), is_first);
        }
        transaction.commit().await.unwrap();
        self.paid_in += nanos;
    }

    /// Somebody whom the user invited registers.
    pub async fn be_rewarded(&mut self) {
        let name = format!("guest-{}", self.name());
        let guest: UserId = a_named_user(&self.store, &name).await;
        let rewards = Rewards {
            inviter_nanos: self.random.amount(1_000),
            invitee_nanos: self.random.amount(10),
        };
        let transaction = self.store.write().await.unwrap();
        referrals::insert(&transaction, guest, self.user, 0)
            .await
            .unwrap();
        for is_first in [true, false] {
            let rewarded = referrals::reward(&transaction, guest, rewards, 1).await;
            assert_eq!(rewarded.unwrap(), is_first);
        }
        transaction.commit().await.unwrap();
        self.earned += rewards.inviter_nanos;
    }

    /// Earnings are made spendable, sometimes more than there are.
    pub async fn transfer(&mut self) {
        let (key, nanos) = (self.name(), self.random.amount(1_000));
        let transaction = self.store.write().await.unwrap();
        match transfer(&transaction, self.user, nanos, &key, 1).await {
            Ok(outcome) => {
                assert!(outcome == Outcome::Posted && nanos <= self.earned);
                transaction.commit().await.unwrap();
                self.earned -= nanos;
                self.paid_in += nanos;
            }
            Err(StoreError::InsufficientFunds(_)) => assert!(nanos > self.earned),
            Err(error) => panic!("{error}"),
        }
    }

    /// An administrator gives or takes.
    pub async fn adjust(&mut self) {
        let size = self.random.amount(3_000);
        let nanos = if self.random.below(2) == 0 {
            size
        } else {
            -size
        };
        let by = Adjustment {
            key: self.name(),
            user: self.user,
            amount_nanos: nanos,
            reason: "counted wrongly".to_owned(),
            at: 1,
        };
        for expected in [Outcome::Posted, Outcome::Duplicate] {
            let transaction = self.store.write().await.unwrap();
            assert_eq!(adjust(&transaction, &by).await.unwrap(), expected);
            transaction.commit().await.unwrap();
        }
        self.paid_in += nanos;
        self.hear_of_debts().await;
    }

    /// A payment is taken back, whatever the wallet has: calls hold their part of it, and more may
    /// be spent already.
    pub async fn refund(&mut self) {
        let (key, nanos) = (format!("back-{}", self.name()), self.random.amount(4_000));
        let refund = credit(self.user, &key, nanos);
        for is_first in [true, false] {
            let transaction = self.store.write().await.unwrap();
            let taken = take_back(&transaction, &refund).await.unwrap();
            assert_eq!(taken.is_some(), is_first);
            transaction.commit().await.unwrap();
        }
        self.paid_in -= nanos;
        self.hear_of_debts().await;
    }

    /// Within a second every node has answered; from then on debts count.
    async fn hear_of_debts(&self) {
        for node in &self.nodes {
            node.answer_recalls().await.unwrap();
        }
    }
}
