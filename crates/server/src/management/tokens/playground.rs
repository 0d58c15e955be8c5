//! The token behind the console's playground: the page calls the public endpoints with it, so that
//! what is shown as code is what is sent. It lives for minutes and is in no list; the page keeps it
//! in memory and asks for the next one in time. Administrators may bind it to one channel: the token
//! says so rather than the call, so that nobody else can, and calls look as they always do.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::tokens::{self, NewToken, Purpose, TokenChanges};
use store::{ChannelId, channels};

use crate::app::App;
use crate::management::frame::{ApiError, Identity, Input, Moment, Reply};
use crate::tokens::issue;

const LIFE_MS: i64 = 15 * 60_000;
/// Pages that one user may have open at once.
const MOST_AT_ONCE: i64 = 50;

/// What the token is to be like.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PlaygroundWish {
    /// The one channel that its calls go through, whatever groups and priority that has. For administrators.
    channel_id: Option<i64>,
}

/// A short-lived token.
#[derive(Debug, Serialize, JsonSchema)]
pub struct PlaygroundToken {
    /// The secret, to be sent as a bearer.
    token: String,
    /// When it ends.
    expires_at: Moment,
}

/// Makes a token for the caller's own playground.
pub(super) async fn make(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(wish): Input<PlaygroundWish>,
) -> Result<Reply<PlaygroundToken>, ApiError> {
    let channel_id = chosen(&app, &actor, wish.channel_id).await?;
    let now = app.clock().now_ms();
    let issued = issue(app.keys(), app.randomness());
    let expires_at = now + LIFE_MS;
    let new = NewToken {
        user_id: actor.id(),
        name: "playground".to_owned(),
        prefix: issued.prefix,
        secret_hash: issued.hash.to_vec(),
        is_declared: false,
        now,
    };
    let rights = TokenChanges {
        purpose: Some(Purpose::Playground),
        expires_at: Some(Some(expires_at)),
        channel_id: Some(channel_id),
        ..TokenChanges::default()
    };
    let transaction = app.store().write().await?;
    let open = tokens::sweep_playground(&transaction, actor.id(), now).await?;
    if open >= MOST_AT_ONCE {
        let text = "Too many playgrounds are open; close some pages and wait.";
        return Err(ApiError::too_many(text, 60));
    }
    tokens::insert(&transaction, new, rights).await?;
    transaction.commit().await?;
    Ok(Reply::of(PlaygroundToken {
        token: issued.secret.expose().to_owned(),
        expires_at: Moment(expires_at),
    }))
}

/// The channel that was asked for, where the caller may ask for one.
async fn chosen(
    app: &App,
    actor: &Identity,
    id: Option<i64>,
) -> Result<Option<ChannelId>, ApiError> {
    let Some(id) = id.map(ChannelId) else {
        return Ok(None);
    };
    if !actor.is_administrator() {
        return Err(ApiError::forbidden("Only administrators choose a channel."));
    }
    if channels::get(app.store().read(), id).await?.is_none() {
        return Err(ApiError::bad_field(
            "channel_id",
            "there is no such channel",
        ));
    }
    Ok(Some(id))
}
