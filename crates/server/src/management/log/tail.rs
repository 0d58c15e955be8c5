//! The live tail: calls as they end and those that are under way, on whichever node. It looks once a second,
//! into the log and at the list that calls are on while somebody watches; a bounded number of listeners,
//! each for a bounded time.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::{StreamExt as _, stream};
use store::StoreError;
use store::request_log::{self, LogFilter, LoggedCall, PageBounds};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;

use super::running;
use super::search::CallSearch;
use super::view::views;
use crate::app::App;
use crate::in_flight::{Running, Watching};
use crate::management::frame::{ApiError, Identity, Search};
use crate::management::scope::{Scope, ScopeQuery};

/// Listeners at once on this node.
static LISTENERS: Semaphore = Semaphore::const_new(100);

const EVERY: Duration = Duration::from_secs(1);
/// A stream ends after so long.
const LONGEST: Duration = Duration::from_mins(10);
/// Calls of one look.
const AT_ONCE: u32 = 500;
/// Calls are written a moment after they ended, in the order of writing: so far back is looked.
const BACK_MS: i64 = 10_000;

/// A listener.
struct Tail {
    app: Arc<App>,
    /// Who listens.
    identity: Identity,
    filter: LogFilter,
    /// Calls that were shown or were there before, with their times.
    seen: HashMap<String, i64>,
    watching: Watching,
    /// What was last said of calls under way.
    running: Vec<Running>,
    ends: Instant,
    _place: SemaphorePermit<'static>,
}

/// Follows calls.
pub(super) async fn tail(
    State(app): State<Arc<App>>,
    identity: Identity,
    Search(scope): Search<ScopeQuery>,
    Search(search): Search<CallSearch>,
) -> Result<Response, ApiError> {
    let owner = match scope.scope(&identity)? {
        Scope::Own => Some(identity.id()),
        Scope::All => None,
    };
    let filter = search.filter(owner)?;
    let Ok(place) = LISTENERS.try_acquire() else {
        return Err(ApiError::too_many("Too many listen already.", 30));
    };
    let mut tail = Tail {
        watching: app.in_flight().watch(),
        running: Vec::new(),
        app,
        identity,
        filter,
        seen: HashMap::new(),
        ends: Instant::now() + LONGEST,
        _place: place,
    };
    // What is there already is not news.
    tail.look().await?;
    let events = stream::unfold(tail, next_look).flat_map(stream::iter);
    let keep_alive = KeepAlive::new().interval(Duration::from_secs(15));
    Ok(Sse::new(events).keep_alive(keep_alive).into_response())
}

/// Waits, looks, and returns what is new. Ends with the service, after its time, and when the log cannot be
/// read. The gate of the route ends it when the listener's credential has ended or its rights were changed.
async fn next_look(mut tail: Tail) -> Option<(Vec<Result<Event, Infallible>>, Tail)> {
    tokio::select! {
        () = tail.app.stop().asked() => return None,
        () = tokio::time::sleep(EVERY) => {}
    }
    if Instant::now() >= tail.ends {
        return None;
    }
    let told = async {
        let (calls, is_cut) = tail.look().await?;
        let mut events = Vec::new();
        if is_cut {
            events.push(Ok(Event::default().event("skipped").data("{}")));
        }
        for call in views(tail.app.store().read(), &tail.identity, calls).await? {
            let data = serde_json::to_string(&call)?;
            events.push(Ok(Event::default().event("call").data(data)));
        }
        if let Some(running) = tail.look_at_running() {
            let views = running::views(tail.app.store().read(), running).await?;
            let data = serde_json::to_string(&views)?;
            events.push(Ok(Event::default().event("running").data(data)));
        }
        Ok::<_, StoreError>(events)
    };
    match told.await {
        Ok(events) => Some((events, tail)),
        Err(error) => {
            tracing::warn!(%error, "the live tail ends: the log cannot be read");
            None
        }
    }
}

impl Tail {
    /// Calls that were not seen before, oldest first, and whether there were more than fit.
    async fn look(&mut self) -> Result<(Vec<LoggedCall>, bool), StoreError> {
        let now = self.app.clock().now_ms();
        let back = now - BACK_MS;
        let filter = LogFilter {
            from_ms: Some(self.filter.from_ms.map_or(back, |from| from.max(back))),
            ..self.filter.clone()
        };
        let records = self.app.store().read();
        let page = request_log::page(records, &filter, None, PageBounds::rows(AT_ONCE)).await?;
        self.seen.retain(|_, at| *at >= back);
        let is_new = |call: &LoggedCall| !self.seen.contains_key(call.request_id.as_str());
        let mut calls: Vec<LoggedCall> = page.items.into_iter().filter(is_new).collect();
        for call in &calls {
            self.seen
                .insert(call.request_id.to_string(), call.created_at);
        }
        let is_cut = calls.len() >= AT_ONCE as usize && page.next.is_some();
        calls.reverse();
        Ok((calls, is_cut))
    }

    /// Calls under way; none where nothing has changed.
    fn look_at_running(&mut self) -> Option<Vec<Running>> {
        let now = self.app.clock().now_ms();
        let filter = &self.filter;
        let wanted = |call: &Running| running::is_wanted(call, filter, now);
        let running = self.watching.list().calls(wanted);
        if running == self.running {
            return None;
        }
        self.running.clone_from(&running);
        Some(running)
    }
}
