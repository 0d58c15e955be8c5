//! Two channels that change places: each gets the other's priority, in one step.

use store::Transaction;
use store::channels::{Channel, ChannelChanges};

use super::update::apply;
use crate::management::frame::{ApiError, Identity};

/// Gives two channels each other's priority and notes who did it.
pub(in crate::management) async fn swap_priority(
    transaction: &Transaction,
    actor: &Identity,
    (first, second): (&Channel, &Channel),
    now: i64,
) -> Result<(), ApiError> {
    if first.priority == second.priority {
        let text = "Both channels have the same priority: there is nothing to swap.";
        return Err(ApiError::conflict(text));
    }
    let (up, down) = (first.priority, second.priority);
    place(transaction, actor, first, down, now).await?;
    place(transaction, actor, second, up, now).await
}

async fn place(
    transaction: &Transaction,
    actor: &Identity,
    before: &Channel,
    priority: i64,
    now: i64,
) -> Result<(), ApiError> {
    let changes = ChannelChanges {
        priority: Some(priority),
        ..ChannelChanges::default()
    };
    let (before, action) = (before.clone(), "channel.update");
    apply(transaction, actor, (action, before, changes), now).await?;
    Ok(())
}
