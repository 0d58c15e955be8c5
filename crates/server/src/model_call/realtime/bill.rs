//! What a conversation costs: each response is one charge and one row in the log. There is always
//! enough held for the next one; where there is not, the conversation ends.

use std::sync::Arc;
use std::time::Duration;

use billing::pricing::{OtherUnits, Usage};
use billing::tokens;
use dialects::canonical::{Failure, FailureKind};
use dialects::realtime::{
    AudioFormat, RealtimeUsage, Session, input_audio_tokens, output_audio_tokens,
};
use dialects::said::Said;
use dialects::units::Units;
use tokio::time::{Instant, timeout};

use super::task::RealtimeTask;
use crate::app::App;
use crate::channels::Place;
use crate::config::Unpriced;
use crate::model_call::call::Call;
use crate::model_call::metering::{self, Basis};
use crate::model_call::settle::{Continued, Ending, Settlement};
use crate::model_call::task::Used;
use crate::model_call::{admit, authenticate, refusals};
use crate::telemetry::Meter;

/// Nothing passes while a token is looked up in the middle of a conversation.
const LOOK_UP_WITHIN: Duration = Duration::from_secs(2);

/// What the upstream calls a model, and where its calls are counted.
type Served = (Arc<str>, Arc<Meter>);

/// The bill of one conversation.
pub struct Bill {
    app: Arc<App>,
    call: Arc<Call>,
    model: String,
    /// The part that is being paid for now.
    current: Option<Settlement>,
    /// How many rows there are.
    rows: u64,
    heard: u64,
    heard_as: AudioFormat,
    spoken: u64,
    spoken_as: AudioFormat,
    written: Said,
    /// Whether a response is being made.
    pub is_active: bool,
}

impl Bill {
    /// The bill of a conversation that was admitted so.
    pub fn new(app: Arc<App>, settlement: Settlement) -> Self {
        let known = settlement.known();
        Self {
            call: known.call.clone(),
            model: known.model.clone(),
            app,
            current: Some(settlement),
            rows: 0,
            heard: 0,
            heard_as: AudioFormat::Pcm16,
            spoken: 0,
            spoken_as: AudioFormat::Pcm16,
            written: Said::default(),
            is_active: false,
        }
    }

    /// The model that the conversation was opened with.
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
        mapped.map_or(model, |mapped| mapped).to_owned()
    }

    fn place(&self) -> Option<&Place> {
        self.current.as_ref()?.known().place.as_ref()
    }

    /// Whether the token may have what the user says written down by this model.
    pub fn check_transcription(&self, model: &str) -> Result<(), Failure> {
        let Some(current) = &self.current else {
            return Err(refusals::not_enough(false));
        };
        admit::check_model(&current.known().holder, model)?;
        let upstream = self.upstream_model(model);
        let now = self.app.clock().now_ms();
        let priced = self.app.prices().book().find(model, Some(&upstream), now);
        let is_free = self.app.config().billing.unpriced == Unpriced::Free;
        match priced {
            None if !is_free => Err(refusals::no_price(model)),
            _ => Ok(()),
        }
    }

    /// The upstream has told its session: how sound is written from now on.
    pub fn note_formats(&mut self, session: &Session) {
        self.heard_as = session.input_format.unwrap_or(self.heard_as);
        self.spoken_as = session.output_format.unwrap_or(self.spoken_as);
    }

    /// Sound of the user passed, so many bytes of base64.
    pub fn hear(&mut self, base64: usize) {
        self.heard = self.heard.saturating_add(base64 as u64);
    }

    /// Sound of the model passed.
    pub fn speak(&mut self, base64: usize) {
        self.spoken = self.spoken.saturating_add(base64 as u64);
    }

    /// Words of the model passed.
    pub fn write(&mut self, words: &str) {
        self.written.hear(words);
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
        let used = self.used(usage, is_charged);
        self.is_active = false;
        (self.heard, self.spoken) = (0, 0);
        self.written = Said::default();
        let continued = self.write_down(Ending::Answered(used)).await?;
        self.hold_again(continued).await
    }

    fn used(&self, usage: Option<RealtimeUsage>, is_charged: bool) -> Used {
        let is_estimated = usage.is_none();
        let usage = usage.unwrap_or_else(|| RealtimeUsage {
            input_audio: input_audio_tokens(self.heard, self.heard_as),
            output_audio: output_audio_tokens(self.spoken, self.spoken_as),
            output_text: tokens_of(&self.written),
            ..RealtimeUsage::default()
        });
        let mut used = Usage::from(&usage.usage());
        used.other = OtherUnits {
            calls: 1,
            ..OtherUnits::default()
        };
        Used {
            usage: used,
            is_estimated,
            is_billable: is_charged && usage.input() + usage.output() > 0,
        }
    }

    /// Ends the current part. Place and limits go on with the next one.
    async fn write_down(&mut self, ending: Ending) -> Result<Continued, Failure> {
        let Some(mut current) = self.current.take() else {
            return Ok(Continued::default());
        };
        self.rows += 1;
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
        let mut task = RealtimeTask::response(self.model.clone());
        let now_ms = self.app.clock().now_ms();
        let held = admit::reserve(&self.app, &mut task, &mut next, now_ms).await;
        if held.is_err() {
            next.forget();
            return held;
        }
        self.current = Some(next);
        Ok(())
    }

    async fn open(&self, model: String) -> Result<Settlement, Failure> {
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

    /// What the user said was written down by a second model, which is paid for too. It is a part of the call
    /// of its own, on the conversation's place.
    pub async fn end_transcription(&mut self, model: &str, units: &Units) -> Result<(), Failure> {
        let used = metering::used(units, &Units::default(), self.basis(model));
        self.rows += 1;
        let mut part = self.open(model.to_owned()).await?;
        let served = self.lend_as(model, &mut part);
        let mut task = RealtimeTask::transcription(model.to_owned(), units);
        let now_ms = self.app.clock().now_ms();
        if let Err(failure) = admit::reserve(&self.app, &mut task, &mut part, now_ms).await {
            self.take_back(part.lend(), served);
            part.forget();
            return Err(failure);
        }
        part.known_mut().is_answering = true;
        let (written, continued) = part.end_part(&Ending::Answered(used));
        self.take_back(continued, served);
        written.wait().await.map_err(|_| refusals::not_written())
    }

    /// Lends the conversation's place and limits to a part of it that another model serves.
    fn lend_as(&mut self, model: &str, part: &mut Settlement) -> Option<Served> {
        let upstream = self.upstream_model(model).into();
        part.resume(self.current.as_mut()?.lend());
        let place = part.known_mut().place.as_mut()?;
        let meter = self.app.channels().meters().of(&place.channel.name, model);
        Some(place.serve((upstream, meter)))
    }

    fn take_back(&mut self, lent: Continued, served: Option<Served>) {
        let Some(current) = &mut self.current else {
            return;
        };
        current.resume(lent);
        if let (Some(place), Some(served)) = (&mut current.known_mut().place, served) {
            place.serve(served);
        }
    }

    fn basis(&self, model: &str) -> Basis {
        let upstream = self.upstream_model(model);
        let now = self.app.clock().now_ms();
        let priced = self.app.prices().book().find(model, Some(&upstream), now);
        priced.map_or_else(Basis::default, |priced| Basis::of_sheet(&priced.sheet))
    }

    /// The conversation is over. A response that was cut off is charged by what passed of it; what
    /// was held for another is given back.
    pub async fn close(mut self) {
        if self.is_active {
            let used = self.used(None, true);
            // There is nobody left to tell.
            let _ = self.write_down(Ending::Left(used)).await;
        } else if self.rows == 0 {
            let _ = self.write_down(Ending::Answered(Used::default())).await;
        } else if let Some(unused) = self.current.take() {
            unused.forget();
        }
    }
}

/// The tokens of what was written: the beginning is counted, the rest was not kept.
fn tokens_of(written: &Said) -> u64 {
    let rest = written.bytes.saturating_sub(written.sample.len() as u64);
    tokens::count(&written.sample).saturating_add(tokens::approximate(rest))
}
