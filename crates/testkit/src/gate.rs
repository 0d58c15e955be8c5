//! A gate in a scripted reply: the reply waits there until the test opens it, so that a test can
//! step through a stream without sleeping.

use std::sync::Arc;
use tokio::sync::Semaphore;

/// Holds a reply back until [`Gate::open`]; every opening lets one waiter through, in any order
/// of opening and waiting. Clones are the same gate.
#[derive(Clone, Debug)]
pub struct Gate(Arc<Semaphore>);

impl Gate {
    /// A closed gate.
    pub fn new() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }

    /// Lets one waiter through.
    pub fn open(&self) {
        self.0.add_permits(1);
    }

    /// Waits to be let through.
    pub(crate) async fn pass(&self) {
        let permit = self.0.acquire().await.expect("nobody closes the semaphore");
        permit.forget();
    }
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}
