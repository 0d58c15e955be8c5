//! Leases: slices of a wallet that one node spends from in memory. Taking one moves the slice from
//! wallet to held, settling moves charges from held to revenue, closing gives the rest back.

mod excess;
mod forget;
mod lease;
mod reach;
mod slices;

pub use excess::{Excess, charge_excess};
pub use forget::forget;
pub use lease::{Lease, LeaseCharge, LeaseRequest, expire, get, give_back, renew, settle, take};
pub use reach::{Reach, left_of_budgets, reach};
pub use slices::{
    Ask, HeldByNode, Obtained, held_by, is_recall_open, lock, obtain, open_of_node, recall,
    recalled, settle_late, shrink,
};
