//! What each side says: which events go on, changed or as they are, and what they mean for the bill.

use axum::extract::ws::Message;
use dialects::canonical::{Failure, FailureKind};
use dialects::realtime::{
    ClientEvent, ClientEventKind, ServerEvent, SessionKind, SessionModels, clear_upstream_errors,
    member,
};

use super::relay::{End, Relay};
use crate::model_call::vendor_state;

impl Relay {
    pub(super) async fn client_said(&mut self, frame: &str) -> Result<(), End> {
        let event = match ClientEvent::read(frame) {
            Ok(event) => event,
            Err(failure) => return self.tell(&failure, None).await,
        };
        let is_sound = matches!(event.kind, ClientEventKind::AppendAudio);
        if !is_sound && let Err(failure) = vendor_state::check_event(&self.app, frame) {
            return self.tell(&failure, event.event_id.as_deref()).await;
        }
        let frame = match event.kind {
            ClientEventKind::SessionUpdate(models) => match self.update(frame, &models).await {
                Ok(frame) => frame,
                Err(failure) => return self.tell(&failure, event.event_id.as_deref()).await,
            },
            ClientEventKind::AppendAudio => {
                let audio = member(frame, "audio").map_or(0, str::len);
                self.bill.passed.hear(audio);
                frame.to_owned()
            }
            ClientEventKind::ItemCreate(brought) => {
                self.bill.passed.bring(&brought);
                frame.to_owned()
            }
            ClientEventKind::ResponseCreate(asked) => {
                self.bill.passed.ask(asked);
                frame.to_owned()
            }
            ClientEventKind::Other => frame.to_owned(),
        };
        if self.leg.send(frame).await {
            return Ok(());
        }
        Err(End::upstream_gone())
    }

    /// A session keeps its kind and its model; a second one that writes down what is said must be allowed.
    async fn update(&mut self, frame: &str, models: &SessionModels) -> Result<String, Failure> {
        models.check_kind(self.bill.kind())?;
        models.check_model(self.bill.model())?;
        match (self.bill.kind(), &models.transcription) {
            (_, None) => {}
            (SessionKind::Transcription, Some(model)) => self.bill.write_with(model).await?,
            (SessionKind::Conversation, Some(model)) => {
                self.bill.check_transcription(model)?;
                if self.transcription.replace(model.clone()).is_none() {
                    // Nobody was to write down what was said before.
                    self.bill.drop_transcript();
                }
            }
        }
        if models.model.is_none() && models.transcription.is_none() {
            return Ok(frame.to_owned());
        }
        let transcription = models.transcription.as_deref().unwrap_or_default();
        SessionModels::rename(
            frame,
            &self.bill.upstream_model(self.bill.model()),
            &self.bill.upstream_model(transcription),
        )
    }

    pub(super) async fn leg_said(&mut self, frame: String) -> Result<(), End> {
        let frame = match clear_upstream_errors(&frame) {
            None => frame,
            Some(cleared) => {
                self.bill.note_upstream_error(cleared.failure);
                cleared.frame
            }
        };
        // What is charged for is on disk before the client hears that it is over.
        let charged = self.meter(&frame).await;
        let is_unwritten =
            matches!(&charged, Err(failure) if failure.kind == FailureKind::Overloaded);
        if !is_unwritten {
            self.hand_on(Message::Text(frame.into())).await?;
        }
        match charged {
            Ok(()) => self.end_if_draining(),
            Err(failure) => Err(self.end_with(&failure).await),
        }
    }

    /// What a frame of the upstream means for the bill.
    async fn meter(&mut self, frame: &str) -> Result<(), Failure> {
        match ServerEvent::read(frame) {
            ServerEvent::ResponseCreated => self.bill.is_active = true,
            ServerEvent::OutputAudio => {
                let delta = member(frame, "delta").map_or(0, str::len);
                self.bill.passed.speak(delta);
            }
            ServerEvent::OutputText(words) => self.bill.passed.write(&words),
            ServerEvent::Session(session) => self.bill.passed.note_session(session),
            ServerEvent::ResponseDone(done) => {
                let is_charged = done.is_charged();
                return self.bill.end_response(done.usage, is_charged).await;
            }
            ServerEvent::TranscriptionText(words) => self.bill.write_down(&words),
            ServerEvent::TranscriptionDone {
                units, transcript, ..
            } => {
                let model = self.transcription.clone();
                let charged = self
                    .bill
                    .end_transcript(model.as_deref(), &units, &transcript);
                return charged.await;
            }
            ServerEvent::TranscriptionFailed => self.bill.drop_transcript(),
            ServerEvent::Error(_) | ServerEvent::Other => {}
        }
        Ok(())
    }
}
