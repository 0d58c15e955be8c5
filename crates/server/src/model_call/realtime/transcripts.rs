//! What models cost that write down what the user says: a second one beside a conversation, or the one
//! that a session is for.

use std::sync::Arc;

use billing::pricing::Usage;
use dialects::canonical::{Failure, FailureKind};
use dialects::realtime::SessionKind;
use dialects::units::Units;

use super::bill::Bill;
use super::task::{RealtimeTask, operation};
use crate::config::Unpriced;
use crate::model_call::metering::{self, Basis};
use crate::model_call::settle::{Continued, Ending, Settlement};
use crate::model_call::task::Used;
use crate::model_call::{admit, refusals};
use crate::telemetry::Meter;

/// What the upstream calls a model, and where its calls are counted.
type Served = (Arc<str>, Arc<Meter>);

impl Bill {
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

    /// A session for transcripts is written by this model from now on, which is held for instead. It stays on
    /// its channel.
    pub async fn write_with(&mut self, model: &str) -> Result<(), Failure> {
        if model == self.model {
            return Ok(());
        }
        self.check_transcription(model)?;
        let served = self.served(model)?;
        let Some(current) = &mut self.current else {
            return Err(refusals::not_enough(false));
        };
        let former = current.known_mut().place.as_mut();
        let former = former.map(|place| place.serve(served));
        let mut task = RealtimeTask::next(self.kind, model.to_owned());
        let now_ms = self.app.clock().now_ms();
        let held = admit::reserve(&self.app, &mut task, current, now_ms).await;
        let open = current.known_mut();
        match (&held, &mut open.place, former) {
            (Ok(()), _, _) => {
                model.clone_into(&mut open.model);
                model.clone_into(&mut self.model);
            }
            (Err(_), Some(place), Some(former)) => drop(place.serve(former)),
            _ => {}
        }
        held
    }

    /// How the session's channel serves a model for transcripts, if it does.
    fn served(&self, model: &str) -> Result<Served, Failure> {
        let place = self
            .current
            .as_ref()
            .and_then(|it| it.known().place.as_ref());
        let channel = place.map(|place| &place.channel);
        let snapshot = self.app.channels().snapshot();
        let served = channel.and_then(|channel| {
            let (upstream, meter) = snapshot.service(channel, model)?;
            let formats = channel.formats(operation(self.kind), &upstream);
            (!formats.is_empty()).then_some((upstream, meter))
        });
        served.ok_or_else(|| refusals::not_in_this_session(model))
    }

    /// What the user said is written down, which was paid for as the upstream tells. `model` is that of a
    /// second one, beside a conversation; none is charged for where none was named.
    pub async fn end_transcript(
        &mut self,
        model: Option<&str>,
        told: &Units,
        transcript: &str,
    ) -> Result<(), Failure> {
        if !self.passed.has_transcript() {
            self.passed.write_down(transcript);
        }
        match (self.kind, model) {
            (SessionKind::Transcription, _) => {
                let used = self.transcript_used(&self.model.clone(), told);
                self.end_part(used).await
            }
            (SessionKind::Conversation, Some(model)) => {
                let used = self.transcript_used(model, told);
                self.end_beside(model, used, Ending::Answered).await
            }
            (SessionKind::Conversation, None) => {
                self.passed.drop_transcript();
                Ok(())
            }
        }
    }

    /// What the user said last will not be written down.
    pub fn drop_transcript(&mut self) {
        self.passed.drop_transcript();
        if self.kind == SessionKind::Transcription {
            self.is_active = false;
        }
    }

    /// A piece of a transcript passed.
    pub fn write_down(&mut self, words: &str) {
        self.passed.write_down(words);
        if self.kind == SessionKind::Transcription {
            self.is_active = true;
        }
    }

    /// What a transcript that was cut off took until then.
    pub(super) fn transcript_so_far(&mut self) -> Used {
        self.transcript_used(&self.model.clone(), &Units::default())
    }

    /// The conversation is over while a second model was writing down what the user said: it is charged by what
    /// passed. One that has not begun to write is free, as a response is that has not begun to speak.
    pub(super) async fn leave_transcript(&mut self, model: &str) {
        if self.kind == SessionKind::Conversation && self.passed.has_transcript() {
            let used = self.transcript_used(model, &Units::default());
            // There is nobody left to tell.
            let _ = self.end_beside(model, used, Ending::Left).await;
        }
    }

    /// What a transcript took: what the upstream told, and in its place what passed.
    fn transcript_used(&mut self, model: &str, told: &Units) -> Used {
        let basis = self.basis(model);
        let is_silent = told.tokens.input.is_none() && told.tokens.output.is_none();
        let counted = self
            .passed
            .end_transcript(basis.is_in_tokens() && is_silent);
        metering::used(told, &counted, basis)
    }

    /// A second model was used beside the conversation: a part of the call of its own, on the conversation's place.
    async fn end_beside(
        &mut self,
        model: &str,
        used: Used,
        ending: fn(Used) -> Ending,
    ) -> Result<(), Failure> {
        self.rows += 1;
        let mut part = self.open(model.to_owned()).await?;
        let served = self.lend_as(model, &mut part);
        let held = self.hold_beside(model, &used.usage, &mut part).await;
        let (written, continued) = part.end_part(&ending(used));
        self.take_back(continued, served);
        held?;
        written.wait().await.map_err(|_| refusals::not_written())
    }

    /// Holds for what a second model has used. Where the wallet has nothing else, what is held for a next
    /// response pays for it: there will be none.
    async fn hold_beside(
        &mut self,
        model: &str,
        used: &Usage,
        part: &mut Settlement,
    ) -> Result<(), Failure> {
        part.known_mut().is_answering = true;
        let mut task = RealtimeTask::transcript(model.to_owned(), used);
        let now_ms = self.app.clock().now_ms();
        let held = admit::reserve(&self.app, &mut task, part, now_ms).await;
        let is_poor = matches!(&held, Err(failure) if failure.kind == FailureKind::NoBalance);
        if let Some(current) = self.current.as_mut().filter(|_| is_poor && !self.is_active) {
            current.release();
            admit::reserve(&self.app, &mut task, part, now_ms).await?;
        }
        held
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
}
