//! What whoever settled gets to wait for.

use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// A settlement that the records refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the charge could not be written: {0}")]
pub struct NotWritten(String);

impl NotWritten {
    pub(super) fn because(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

/// How a settlement ended.
pub(super) type Outcome = Result<(), NotWritten>;

/// Tells how a settlement ended, where somebody waits for that.
pub(super) struct Done(Option<Waiting>);

/// Somebody who waits.
struct Waiting {
    done: oneshot::Sender<Outcome>,
    /// Where; none outside of a runtime.
    runtime: Option<Handle>,
}

impl Done {
    fn to(done: oneshot::Sender<Outcome>) -> Self {
        let runtime = Handle::try_current().ok();
        Self(Some(Waiting { done, runtime }))
    }

    /// Whether somebody waits for it.
    pub(super) fn is_awaited(&self) -> bool {
        let waiting = self.0.as_ref();
        waiting.is_some_and(|waiting| !waiting.done.is_closed())
    }

    /// What it is now; from then on nobody waits any more.
    pub(super) fn take(&mut self) -> Self {
        Self(self.0.take())
    }

    pub(super) fn tell(self, outcome: Outcome) {
        if let Some(waiting) = self.0 {
            // Whoever asked may have stopped waiting.
            let _ = waiting.done.send(outcome);
        }
    }

    /// Tells many at once. Those of one runtime are told on it: told from here, each of them would wake its
    /// thread anew.
    pub(super) fn tell_all(all: impl IntoIterator<Item = Self>, outcome: &Outcome) {
        let mut groups: Vec<(Handle, Vec<Self>)> = Vec::new();
        for done in all {
            let Some(Waiting {
                runtime: Some(runtime),
                ..
            }) = &done.0
            else {
                done.tell(outcome.clone());
                continue;
            };
            let id = runtime.id();
            match groups.iter_mut().find(|(known, _)| known.id() == id) {
                Some((_, group)) => group.push(done),
                None => groups.push((runtime.clone(), vec![done])),
            }
        }
        for (runtime, group) in groups {
            let outcome = outcome.clone();
            runtime.spawn(async move {
                for done in group {
                    done.tell(outcome.clone());
                }
            });
        }
    }
}

/// A settlement on its way to the disk.
#[must_use]
#[derive(Debug)]
pub struct Written {
    is_done: Option<oneshot::Receiver<Outcome>>,
    must_wait: bool,
}

impl Written {
    /// A charge. Where the node's durability asks for no waiting, nobody is told of its end.
    pub(super) fn charge(must_wait: bool) -> (Done, Self) {
        let (done, is_done) = must_wait.then(oneshot::channel).unzip();
        let done = done.map_or(Done(None), Done::to);
        (done, Self { is_done, must_wait })
    }

    /// A log row that no money depends on.
    pub(super) fn note() -> (Done, Self) {
        let (done, is_done) = oneshot::channel();
        let written = Self {
            is_done: Some(is_done),
            must_wait: false,
        };
        (Done::to(done), written)
    }

    /// Waits as the node's durability asks: until the charge is on disk, or not at all.
    pub async fn wait(self) -> Result<(), NotWritten> {
        if self.must_wait {
            self.on_disk().await
        } else {
            Ok(())
        }
    }

    /// Waits until it is on disk, in the database or, while that is away, in the journal: a charge where the
    /// durability asks for that, a log row in any case.
    pub async fn on_disk(self) -> Result<(), NotWritten> {
        let Some(is_done) = self.is_done else {
            return Ok(());
        };
        let outcome = is_done.await;
        outcome.unwrap_or_else(|_| Err(NotWritten::because("the writer stopped")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_who_wait_are_told_on_their_own_runtime() {
        let runtimes = [(); 2].map(|()| {
            let builder = &mut tokio::runtime::Builder::new_current_thread();
            builder.build().expect("a runtime")
        });
        let (mut told, mut waiting) = (Vec::new(), Vec::new());
        for runtime in [&runtimes[0], &runtimes[1], &runtimes[0]] {
            let _entered = runtime.enter();
            let (done, written) = Written::charge(true);
            told.push(done);
            waiting.push((runtime, written));
        }
        let (done, outside) = Written::charge(true);
        told.push(done);
        Done::tell_all(told, &Err(NotWritten::because("no room")));
        let refused = Err(NotWritten::because("no room"));
        for (runtime, written) in waiting {
            assert_eq!(runtime.block_on(written.wait()), refused);
        }
        assert_eq!(runtimes[0].block_on(outside.wait()), refused);
    }
}
