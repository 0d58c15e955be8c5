//! The request that runs here: log lines that are written inside of it carry its id and its client.
//! A span of the tracing library would say the same, but is written out when it begins, looked up at
//! every step and given back at its end, for lines that a good call never writes.

use std::net::IpAddr;
use std::sync::Arc;

use tokio::task::futures::TaskLocalFuture;

tokio::task_local! {
    static CURRENT: RequestScope;
}

/// The inside of a request, or of none.
#[derive(Clone, Debug, Default)]
pub struct RequestScope(Option<RunningRequest>);

/// A future inside of a request.
pub type Scoped<F> = TaskLocalFuture<RequestScope, F>;

/// What log lines say of a request.
#[derive(Clone, Debug)]
pub(super) struct RunningRequest {
    /// Names the request.
    pub(super) id: Arc<str>,
    /// The client's address.
    pub(super) client: IpAddr,
}

impl RequestScope {
    /// The inside of this request.
    pub fn new(id: Arc<str>, client: IpAddr) -> Self {
        Self(Some(RunningRequest { id, client }))
    }

    /// What is running here, to be carried to where the request goes on.
    pub fn current() -> Self {
        CURRENT.try_with(Self::clone).unwrap_or_default()
    }

    /// Whether this is what is running here.
    pub fn is_current(&self) -> bool {
        let id = |scope: &Self| Some(Arc::as_ptr(&scope.0.as_ref()?.id));
        let own = id(self);
        CURRENT
            .try_with(|current| id(current) == own)
            .unwrap_or(own.is_none())
    }

    /// Runs a future inside, from its first step until it is dropped.
    pub fn around<F: Future>(self, future: F) -> Scoped<F> {
        CURRENT.scope(self, future)
    }

    /// Runs a function inside.
    pub fn in_scope<T>(&self, work: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self.clone(), work)
    }

    /// The request, where there is one.
    pub(super) fn request(&self) -> Option<&RunningRequest> {
        self.0.as_ref()
    }
}
