//! Reading users.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use store::Paged;
use store::users::{self, UserFilter, UserSort};

use super::rules;
use super::view::{UserView, view_of, views};
use crate::app::App;
use crate::management::frame::{ApiError, At, PageQuery, PagedList, Reply, Search, SortQuery};

/// Which users to list.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct UserSearch {
    /// A part of the name, the e-mail address or the name to show.
    search: Option<String>,
    /// Only this role: 1, 10 or 100.
    role: Option<i64>,
    /// Only enabled (1) or disabled (2) ones.
    status: Option<i64>,
    /// Only this group.
    group: Option<String>,
}

const SORTS: [(&str, UserSort); 4] = [
    ("username", UserSort::Username),
    ("created_at", UserSort::CreatedAt),
    ("last_login_at", UserSort::LastLoginAt),
    ("used_quota", UserSort::Used),
];

/// Lists users.
pub(super) async fn list(
    State(app): State<Arc<App>>,
    Search(page): Search<PageQuery>,
    Search(sort): Search<SortQuery>,
    Search(search): Search<UserSearch>,
) -> Result<Reply<PagedList<UserView>>, ApiError> {
    let page = page.page()?;
    let text = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let filter = UserFilter {
        sort: sort.of(&SORTS)?,
        search: text(search.search),
        group_name: text(search.group),
        role: search.role.map(rules::role).transpose()?,
        status: search.status.map(rules::status).transpose()?,
    };
    let records = app.store().read();
    let found = users::list(records, &filter, page).await?;
    let shown = Paged {
        items: views(records, found.items).await?,
        total: found.total,
    };
    Ok(Reply::of(PagedList::of(page, shown, |view| view)))
}

/// Reads one user.
pub(super) async fn one(
    State(app): State<Arc<App>>,
    At(id): At<i64>,
) -> Result<Reply<UserView>, ApiError> {
    let records = app.store().read();
    let user = rules::existing(records, id).await?;
    Ok(Reply::of(view_of(records, user).await?))
}
