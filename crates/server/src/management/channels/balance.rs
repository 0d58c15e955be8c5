//! What is left on a channel's accounts at its vendor.

use std::sync::Arc;

use axum::extract::State;
use billing::pricing::format_dollars;
use providers::{Balance, UpstreamFailure};
use schemars::JsonSchema;
use serde::Serialize;
use store::{ChannelId, channel_keys, channels};

use crate::app::App;
use crate::channels::{Destination, open_once};
use crate::management::frame::{ApiError, At, Reply};

/// What is left.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ChannelBalance {
    /// Whether the vendor tells.
    supported: bool,
    /// Key by key, in the order of the channel's keys.
    keys: Vec<KeyBalance>,
}

/// What is left on one key's account.
#[derive(Debug, Serialize, JsonSchema)]
pub struct KeyBalance {
    /// The key's place.
    index: usize,
    /// Amounts, by currency; empty where the question failed.
    amounts: Vec<Amount>,
    /// Why it failed.
    error: Option<String>,
}

/// An amount at a vendor.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Amount {
    /// Exact decimal text.
    amount: String,
    /// The currency's three letters.
    currency: String,
}

/// `POST /api/channel/{id}/balance`.
pub(super) async fn balance(
    State(app): State<Arc<App>>,
    At(id): At<i64>,
) -> Result<Reply<ChannelBalance>, ApiError> {
    let records = app.store().read();
    let row = channels::get(records, ChannelId(id)).await?;
    let row = row.ok_or_else(|| ApiError::not_found("The channel"))?;
    if !providers::tells_balance(&row.provider) {
        return Ok(Reply::of(ChannelBalance {
            supported: false,
            keys: Vec::new(),
        }));
    }
    let keys = channel_keys::list(records, row.id).await?;
    let channel = open_once(app.keys(), &row, &keys).map_err(ApiError::bad_request)?;
    let mut told = Vec::with_capacity(channel.keys.len());
    for (index, key) in channel.keys.iter().enumerate() {
        told.push(view(index, ask(&app, &key.destination).await));
    }
    Ok(Reply::of(ChannelBalance {
        supported: true,
        keys: told,
    }))
}

async fn ask(app: &App, destination: &Destination) -> Result<Vec<Balance>, UpstreamFailure> {
    let Destination::Vendor { upstream, egress } = destination else {
        return Ok(Vec::new());
    };
    let (outbound, now) = (app.outbound(), app.clock().now());
    let told = providers::fetch_balance(upstream, app.signer(), &outbound, egress, now).await?;
    Ok(told.unwrap_or_default())
}

fn view(index: usize, told: Result<Vec<Balance>, UpstreamFailure>) -> KeyBalance {
    let (told, error) = match told {
        Ok(told) => (told, None),
        Err(failure) => (Vec::new(), Some(failure.to_string())),
    };
    let amount = |balance: Balance| Amount {
        amount: format_dollars(balance.nanos),
        currency: balance.currency,
    };
    KeyBalance {
        index,
        amounts: told.into_iter().map(amount).collect(),
        error,
    }
}
