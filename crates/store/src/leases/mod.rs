//! Leases: slices of a wallet that one node spends from in memory. Taking one moves the slice from
//! wallet to held, settling moves charges from held to revenue, closing gives the rest back.

mod lease;
mod slices;

pub use lease::{Lease, LeaseCharge, LeaseRequest, expire, get, give_back, renew, settle, take};
pub use slices::{
    Ask, Obtained, is_recall_open, lock, obtain, open_of_node, recall, recalled, settle_late,
    shrink,
};
