//! Every route of the management interface: one line a resource.

use super::frame::{AccessScope, Level, Route};
use super::{
    accounts, audit, channels, connect, group_choice, groups, imports, incidents, log, models,
    notices, options, payments, prices, service, stats, tasks, tokens, users,
};

/// All routes, resource by resource.
pub(super) fn table() -> Vec<Route> {
    let mut routes = accounts::routes();
    routes.extend(audit::routes());
    routes.extend(channels::routes());
    routes.extend(connect::routes());
    routes.extend(groups::routes());
    routes.extend(group_choice::routes());
    routes.extend(imports::routes());
    routes.extend(incidents::routes());
    routes.extend(log::routes());
    routes.extend(models::routes());
    routes.extend(notices::routes());
    routes.extend(options::routes());
    routes.extend(payments::routes());
    routes.extend(prices::routes());
    routes.extend(service::routes());
    routes.extend(stats::routes());
    routes.extend(tasks::routes());
    routes.extend(tokens::routes());
    routes.extend(users::routes());
    routes
}

/// Who may call a route; the test of access goes through all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessRule {
    /// The method.
    pub method: String,
    /// The path as the document has it.
    pub path: &'static str,
    /// The level.
    pub level: Level,
    /// The scope that an access token needs.
    pub scope: AccessScope,
    /// Whether it takes a login session.
    pub is_session_only: bool,
    /// Whether the whole route needs a step-up.
    pub needs_step_up: bool,
}

/// The level of every route.
pub fn access_table() -> Vec<AccessRule> {
    let rule = |route: Route| AccessRule {
        method: route.method().to_string(),
        path: route.path(),
        level: route.level(),
        scope: route.scope(),
        is_session_only: route.is_session_only(),
        needs_step_up: route.needs_step_up(),
    };
    table().into_iter().map(rule).collect()
}
