//! What a provider's event says, reduced to what counts: which order, and what happened to it. It
//! is kept with the delivery, so that an event can be acted on again without its body; there is no
//! personal data in it.

use serde::{Deserialize, Serialize};
use store::order_claims::DisputeState;

/// One event of a provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PaymentEvent {
    /// The provider's id of the event.
    pub id: String,
    /// What it is, in the provider's words.
    pub event_type: String,
    /// When it was made, in unix seconds.
    pub created_s: i64,
    /// Whether real money moved, where the provider says so.
    pub livemode: Option<bool>,
    /// Our id of the order, where the event names it.
    pub order_id: Option<String>,
    /// The provider's id of the checkout.
    pub session_id: Option<String>,
    /// The provider's id of the payment.
    pub payment_id: Option<String>,
    /// What happened.
    pub happening: Happening,
}

/// What happened to an order. Amounts are in the currency's smallest unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Happening {
    /// It was paid.
    Paid {
        /// How much, without tax.
        amount_minor: i64,
        /// In which currency.
        currency: String,
    },
    /// The checkout is done, and the money is still under way.
    Unpaid,
    /// The payment failed.
    Failed,
    /// Nobody paid in time.
    Expired,
    /// Money went back to the payer.
    Refunded {
        /// How much in all, so far.
        total_minor: i64,
        /// Of how much.
        charged_minor: i64,
    },
    /// A refund did not reach the payer, and the money is here again.
    RefundFailed {
        /// The provider's id of the refund.
        refund_id: String,
        /// How much.
        amount_minor: i64,
    },
    /// The payer's bank wants money back.
    Disputed {
        /// The provider's id of the dispute.
        dispute_id: String,
        /// How much.
        amount_minor: i64,
        /// How far it came.
        state: DisputeProgress,
    },
    /// The payer's bank suspects fraud; nothing has moved yet.
    Suspected,
    /// Nothing that concerns orders.
    Nothing,
}

impl Happening {
    /// Whether somebody should look at it, whatever comes of it: money may be gone for good.
    pub fn is_alarming(&self) -> bool {
        match self {
            Self::Disputed { state, .. } => *state != DisputeProgress::Won,
            happening => *happening == Self::Suspected,
        }
    }
}

/// How far a dispute came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DisputeProgress {
    /// An inquiry that takes nothing.
    Noted,
    /// The money is gone for now.
    Held,
    /// Decided for us.
    Won,
    /// Decided against us.
    Lost,
}

impl From<DisputeProgress> for DisputeState {
    fn from(progress: DisputeProgress) -> Self {
        match progress {
            DisputeProgress::Noted => Self::Noted,
            DisputeProgress::Held => Self::Held,
            DisputeProgress::Won => Self::Won,
            DisputeProgress::Lost => Self::Lost,
        }
    }
}
