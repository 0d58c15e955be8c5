//! Who invited whom, and what that earned. When to reward is the server's business.

mod invitations;
mod rewards;

pub use invitations::{Referral, count, counts, get, insert, insert_settled};
pub use rewards::{Rewards, reward, reward_order, settle_order};
