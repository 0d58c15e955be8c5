//! Reading tokens.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use store::UserId;
use store::tokens::{self, TokenFilter};

use super::ownership::readable;
use super::view::TokenView;
use crate::app::App;
use crate::management::frame::{ApiError, At, Identity, PageQuery, PagedList, Reply, Search};
use crate::management::users::rules;

/// Which tokens to list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct TokenSearch {
    /// A part of the name, or the whole shown beginning of the secret.
    search: Option<String>,
    /// Only working (1) or paused (2) ones.
    status: Option<i64>,
    /// Of this user; for administrators. 0 stands for everybody.
    user_id: Option<i64>,
}

/// Lists tokens.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    actor: Identity,
    Search(page): Search<PageQuery>,
    Search(search): Search<TokenSearch>,
) -> Result<Reply<PagedList<TokenView>>, ApiError> {
    let page = page.page()?;
    let user_id = match search.user_id {
        None => Some(actor.id()),
        Some(id) if id == actor.id().0 => Some(actor.id()),
        Some(_) if !actor.is_administrator() => {
            return Err(ApiError::forbidden(
                "Others' tokens are for administrators.",
            ));
        }
        Some(0) => None,
        Some(id) => Some(UserId(id)),
    };
    let filter = TokenFilter {
        user_id,
        search: search.search.filter(|text| !text.trim().is_empty()),
        status: search.status.map(rules::status).transpose()?,
    };
    let found = tokens::list(app.store().read(), &filter, page).await?;
    Ok(Reply::of(PagedList::of(page, found, TokenView::of)))
}

/// Reads one token.
pub(super) async fn one(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
) -> Result<Reply<TokenView>, ApiError> {
    let (token, _) = readable(app.store().read(), &actor, id).await?;
    Ok(Reply::of(TokenView::of(token)))
}
