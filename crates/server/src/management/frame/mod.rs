//! What every resource of the management interface stands on: routes with their levels, who is
//! calling, what comes in, what goes out. It knows no resource.

mod access;
mod audit;
mod document;
mod held_body;
mod input;
mod moment;
mod outrank;
mod page;
mod patch;
mod reply;
mod route;
mod router;
mod same_origin;
mod scopes;
mod see_through;
mod step_up;

pub use access::{Carrier, Identity, PAT_PREFIX, PAT_PURPOSE, SESSION_COOKIE, cookie, cookies};
pub use audit::{Act, changes_between};
pub use document::document_of;
pub use input::{At, Input, Search};
pub use moment::Moment;
pub use outrank::{may_give, may_manage};
pub use page::{CursorList, CursorQuery, PageQuery, PagedList, SortQuery};
pub use patch::Patch;
pub use reply::{ApiError, Nothing, Reply, refuse};
pub use route::{Level, Route};
pub use router::router;
pub use scopes::{AccessScope, require_scope};
pub use step_up::{FRESH_MS, require_fresh_session, require_step_up, require_step_up_over};
