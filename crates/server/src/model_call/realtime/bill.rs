//! What a session costs: each response is one charge and one row in the log, and so is each transcript
//! (`transcripts.rs`). There is always enough held for the next one; where there is not, the session ends.

use std::sync::Arc;
use std::time::Duration;

use dialects::canonical::{Failure, FailureKind};
use dialects::realtime::{RealtimeUsage, SessionKind};
use tokio::time::{Instant, timeout};

use super::passed::Passed;
use super::task::RealtimeTask;
use crate::app::App;
use crate::channels::{Place, StopSignal};
use crate::model_call::call::Call;
use crate::model_call::settle::{Continued, Ending, Settlement};
use crate::model_call::task::Used;
use crate::model_call::{admit, authenticate, refusals};

/// Nothing passes while a token is looked up in the middle of a conversation.
const LOOK_UP_WITHIN: Duration = Duration::from_secs(2);

/// The bill of one session.
pub struct Bill {
    pub(super) app: Arc<App>,
    pub(super) kind: SessionKind,
    pub(super) model: String,
    /// The part that is being paid for now.
    pub(super) current: Option<Settlement>,
    /// How many rows there are.
    pub(super) rows: u64,
    /// What has passed since the last of them.
    pub passed: Passed,
    /// Whether a response is being made.
    pub is_active: bool,
    /// The last error that the upstream told since the last row.
    upstream_error: Option<Failure>,
    call: Arc<Call>,
}

impl Bill {
    /// The bill of a session that was admitted so.
    pub fn new(app: Arc<App>, kind: SessionKind, settlement: Settlement) -> Self {
        let known = settlement.known();
        Self {
            call: known.call.clone(),
            model: known.model.clone(),
            app,
            kind,
            current: Some(settlement),
            rows: 0,
            passed: Passed::new(),
            is_active: false,
            upstream_error: None,
        }
    }

    /// Notes an error that the upstream told. It stands in the row of the part that is being paid for.
    pub fn note_upstream_error(&mut self, failure: Failure) {
        if let Some(current) = &mut self.current {
            current.note_upstream_error(&failure);
        }
        self.upstream_error = Some(failure);
    }

    /// What the session is for.
    pub fn kind(&self) -> SessionKind {
        self.kind
    }

    /// The model that the session was opened with; that of transcripts where it is for them.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// What the upstream calls a model; itself where the channel does not know it.
    pub fn upstream_model(&self, model: &str) -> String {
        let place = self.place();
        if model == self.model {
            return place
                .map_or(model, |place| &place.upstream_model)
                .to_owned();
        }
        let mapped = place.and_then(|place| place.channel.upstream_model(model));
        mapped.map_or_else(|| model.to_owned(), |mapped| mapped.to_string())
    }

    fn place(&self) -> Option<&Place> {
        self.current.as_ref()?.known().place.as_ref()
    }

    /// Tells when somebody switches the channel off.
    pub fn stop_signal(&self) -> Option<StopSignal> {
        self.place().map(Place::stop_signal)
    }

    /// Whether the token still works. Records that cannot be asked right now neither end nor delay a
    /// conversation: they are asked again soon.
    pub async fn check_token(&self) -> Result<(), Failure> {
        let now_ms = self.app.clock().now_ms();
        let holder = authenticate::holder(&self.app, &self.call, now_ms);
        match timeout(LOOK_UP_WITHIN, holder).await {
            Ok(Err(failure)) if failure.kind == FailureKind::Unauthenticated => Err(failure),
            _ => Ok(()),
        }
    }

    /// A response has ended: charges it, and holds enough for the next one. `usage` is what the
    /// upstream told.
    pub async fn end_response(
        &mut self,
        usage: Option<RealtimeUsage>,
        is_charged: bool,
    ) -> Result<(), Failure> {
        let used = self.passed.end_response(usage, is_charged);
        match self.upstream_error.take().filter(|_| !is_charged) {
            Some(failure) => self.end_part_so(Ending::Failed(failure)).await,
            None => self.end_part(used).await,
        }
    }

    /// Charges the current part, and holds enough for the next one.
    pub(super) async fn end_part(&mut self, used: Used) -> Result<(), Failure> {
        self.end_part_so(Ending::Answered(used)).await
    }

    async fn end_part_so(&mut self, ending: Ending) -> Result<(), Failure> {
        self.is_active = false;
        let continued = self.write_row(ending).await?;
        self.hold_again(continued).await
    }

    /// Ends the current part. Place and limits go on with the next one.
    async fn write_row(&mut self, ending: Ending) -> Result<Continued, Failure> {
        let Some(mut current) = self.current.take() else {
            return Ok(Continued::default());
        };
        self.rows += 1;
        self.upstream_error = None;
        current.known_mut().is_answering = true;
        let (written, continued) = current.end_part(&ending);
        match written.wait().await {
            Ok(()) => Ok(continued),
            Err(_) => Err(refusals::not_written()),
        }
    }

    /// Opens the next part: the token must still be good, and the wallet must cover it.
    async fn hold_again(&mut self, continued: Continued) -> Result<(), Failure> {
        let mut next = self.open(self.model.clone()).await?;
        next.resume(continued);
        let mut task = RealtimeTask::next(self.kind, self.model.clone());
        let now_ms = self.app.clock().now_ms();
        let held = admit::reserve(&self.app, &mut task, &mut next, now_ms).await;
        if held.is_err() {
            next.forget();
            return held;
        }
        self.current = Some(next);
        Ok(())
    }

    /// Opens a part of the session.
    pub(super) async fn open(&self, model: String) -> Result<Settlement, Failure> {
        let now_ms = self.app.clock().now_ms();
        let holder = authenticate::holder(&self.app, &self.call, now_ms).await?;
        let mut call = (*self.call).clone();
        let number = self.rows + 1;
        call.caller.request_id = format!("{}-{number}", self.call.caller.request_id).into();
        let call = Arc::new(call);
        let mut settlement = Settlement::open(self.app.clone(), call, holder, Instant::now());
        let open = settlement.known_mut();
        open.model = model;
        open.is_stream = true;
        Ok(settlement)
    }

    /// The upstream is taken away: what was being made has failed, and costs nothing.
    pub async fn break_off(&mut self, failure: &Failure) {
        self.passed.drop_transcript();
        if std::mem::take(&mut self.is_active) {
            // There is nothing more to hold for, and the client hears of the failure anyway.
            let _ = self.write_row(Ending::Failed(failure.clone())).await;
        }
    }

    /// The session is over. What was cut off is charged by what passed of it; what was held for more is
    /// given back. `beside` is the second model of a conversation, where one was named.
    pub async fn close(mut self, beside: Option<&str>) {
        if let Some(model) = beside {
            self.leave_transcript(model).await;
        }
        if self.is_active {
            let used = match self.kind {
                SessionKind::Conversation => self.passed.end_response(None, true),
                SessionKind::Transcription => self.transcript_so_far(),
            };
            // There is nobody left to tell.
            let _ = self.write_row(Ending::Left(used)).await;
        } else if self.rows == 0 || self.upstream_error.is_some() {
            let _ = self.write_row(Ending::Answered(Used::default())).await;
        } else if let Some(unused) = self.current.take() {
            unused.forget();
        }
    }
}
