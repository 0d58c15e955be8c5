//! Reading tokens.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use store::UserId;
use store::tokens::{self, Token, TokenFilter, TokenSort};

use super::ownership::readable;
use super::usage::budget_states;
use super::view::TokenView;
use crate::app::App;
use crate::management::frame::{
    ApiError, At, Identity, PageQuery, PagedList, Reply, Search, SortQuery,
};
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

const SORTS: [(&str, TokenSort); 5] = [
    ("name", TokenSort::Name),
    ("created_at", TokenSort::CreatedAt),
    ("last_used_at", TokenSort::LastUsedAt),
    ("expires_at", TokenSort::ExpiresAt),
    ("used_quota", TokenSort::Used),
];

/// Lists tokens.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    actor: Identity,
    Search(page): Search<PageQuery>,
    Search(sort): Search<SortQuery>,
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
        sort: sort.of(&SORTS)?,
    };
    let records = app.store().read();
    let found = tokens::list(records, &filter, page).await?;
    let mut states = budget_states(records, &found.items, app.clock().now_ms()).await?;
    let show = |token: Token| {
        let budgets = states.remove(&token.id).unwrap_or_default();
        TokenView::of(token).with_budgets(budgets)
    };
    Ok(Reply::of(PagedList::of(page, found, show)))
}

/// Reads one token.
pub(super) async fn one(
    State(app): State<Arc<App>>,
    actor: Identity,
    At(id): At<i64>,
) -> Result<Reply<TokenView>, ApiError> {
    let records = app.store().read();
    let (token, _) = readable(records, &actor, id).await?;
    let now = app.clock().now_ms();
    let mut states = budget_states(records, std::slice::from_ref(&token), now).await?;
    let budgets = states.remove(&token.id).unwrap_or_default();
    Ok(Reply::of(TokenView::of(token).with_budgets(budgets)))
}
