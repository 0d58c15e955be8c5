//! Two sockets as one conversation. One loop reads both and awaits every send, so that a slow side
//! slows the other and nothing piles up.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, WebSocket};
use bytes::Bytes;
use dialects::canonical::{Failure, FailureKind};
use dialects::realtime::{close_code, close_code_for, close_reason, write_error_event};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until, timeout};
use tokio_tungstenite::tungstenite;

use super::bill::Bill;
use super::leg::{Heard, Leg, STUCK_AFTER};
use crate::app::App;
use crate::channels::StopSignal;
use crate::model_call::refusals;

/// How often each side is asked whether it is alive.
const PING_EVERY: Duration = Duration::from_secs(25);
/// A side that says nothing for so long is gone.
const SILENT_FOR: Duration = Duration::from_mins(1);
/// What is left of the grace time for closing.
const TO_CLOSE: Duration = Duration::from_secs(2);

const NORMAL: u16 = 1000;
const GOING_AWAY: u16 = 1001;
const NO_BINARY: u16 = 1003;
const TOO_BIG: u16 = 1009;
const BROKEN: u16 = 1011;
const RESTART: u16 = 1012;

/// One conversation.
pub struct Relay {
    pub(super) app: Arc<App>,
    client: WebSocket,
    pub(super) leg: Leg,
    pub(super) bill: Bill,
    /// The second model of a conversation, which writes down what the user says.
    pub(super) transcription: Option<String>,
    events: u64,
    /// When either side was last heard at all.
    client_alive: Instant,
    leg_alive: Instant,
    /// When something was last said.
    last_word: Instant,
    /// When the conversation must end, once the service stops.
    deadline: Option<Instant>,
    /// When it must end in any case.
    latest: Instant,
    /// How long nothing may be said.
    idle_for: Duration,
}

/// How a conversation ends: what each side is closed with.
pub(super) struct End {
    client: Option<(Option<u16>, String)>,
    leg: Option<u16>,
}

impl End {
    /// The upstream has left without a word.
    pub(super) fn upstream_gone() -> Self {
        Self::both(BROKEN, "The upstream has gone.", GOING_AWAY)
    }

    /// Both sides are there.
    fn both(client: u16, reason: &str, leg: u16) -> Self {
        Self {
            client: Some((Some(client), reason.to_owned())),
            leg: Some(leg),
        }
    }
}

impl Relay {
    /// A conversation between these two.
    pub fn new(app: Arc<App>, client: WebSocket, leg: Leg, bill: Bill) -> Self {
        let now = Instant::now();
        let config = app.config();
        let latest = now + Duration::from_secs(config.realtime.longest_s);
        let idle_for = Duration::from_secs(config.realtime.idle_s);
        drop(config);
        Self {
            app,
            client,
            leg,
            bill,
            transcription: None,
            events: 0,
            client_alive: now,
            leg_alive: now,
            last_word: now,
            deadline: None,
            latest,
            idle_for,
        }
    }

    /// Relays until either side leaves, then settles.
    pub async fn run(mut self) {
        let end = self.converse().await;
        self.leg.close(end.leg, "").await;
        let close = end.client.map(|(code, reason)| {
            code.map(|code| CloseFrame {
                code,
                reason: close_reason(&reason).to_owned().into(),
            })
        });
        let closing = async {
            if let Some(frame) = close {
                let _ = self.client.send(Message::Close(frame)).await;
            }
            // The client's answer to our close, or ours to its: the socket sends it as it is read on.
            while let Some(Ok(_)) = self.client.recv().await {}
        };
        let _ = timeout(TO_CLOSE, closing).await;
        self.bill.close(self.transcription.as_deref()).await;
    }

    async fn converse(&mut self) -> End {
        let mut pings = interval(PING_EVERY);
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let service = self.app.stop().clone();
        let mut channel = self.bill.stop_signal();
        loop {
            let until = self.deadline.unwrap_or(self.last_word + self.idle_for);
            let until = until.min(self.latest);
            let step = tokio::select! {
                message = self.client.recv() => self.hear_client(message).await,
                heard = self.leg.next() => self.hear_leg(heard).await,
                _ = pings.tick() => self.ask_for_life().await,
                () = service.asked(), if self.deadline.is_none() => self.drain(),
                () = switched_off(&mut channel) => self.lose_channel().await,
                () = sleep_until(until) => self.out_of_time().await,
            };
            if let Err(end) = step {
                return end;
            }
        }
    }

    /// The service stops: a response may end, then the client is told to come again.
    fn drain(&mut self) -> Result<(), End> {
        let grace = Duration::from_secs(self.app.config().server.grace_s);
        self.deadline = Some(Instant::now() + grace.saturating_sub(TO_CLOSE * 2));
        self.end_if_draining()
    }

    /// Somebody has switched the channel off: what is being made is lost, and costs nothing.
    async fn lose_channel(&mut self) -> Result<(), End> {
        let failure = refusals::switched_off();
        self.bill.break_off(&failure).await;
        Err(self.end_with(&failure).await)
    }

    pub(super) fn end_if_draining(&self) -> Result<(), End> {
        if self.deadline.is_some() && !self.bill.is_active {
            return Err(End::both(RESTART, "The service restarts.", GOING_AWAY));
        }
        Ok(())
    }

    async fn out_of_time(&mut self) -> Result<(), End> {
        if Instant::now() >= self.latest {
            let text = "The session has reached its maximum duration.";
            let failure = Failure {
                code: Some("session_expired".to_owned()),
                ..Failure::new(FailureKind::BadRequest, text)
            };
            self.tell(&failure, None).await?;
            return Err(End::both(GOING_AWAY, text, NORMAL));
        }
        if self.deadline.is_some() {
            return Err(End::both(RESTART, "The service restarts.", GOING_AWAY));
        }
        self.end_if_idle()
    }

    fn end_if_idle(&self) -> Result<(), End> {
        if self.last_word.elapsed() >= self.idle_for {
            return Err(End::both(NORMAL, "Nothing was said for long.", NORMAL));
        }
        Ok(())
    }

    /// Ends what is idle, silent or no longer allowed, and pings both sides.
    async fn ask_for_life(&mut self) -> Result<(), End> {
        self.end_if_idle()?;
        // Otherwise the token is looked at with each response, and there may be none for long.
        if let Err(failure) = self.bill.check_token().await {
            return Err(self.end_with(&failure).await);
        }
        if self.client_alive.elapsed() > SILENT_FOR {
            return Err(End {
                client: None,
                leg: Some(GOING_AWAY),
            });
        }
        let is_gone = self.leg_alive.elapsed() > SILENT_FOR && matches!(self.leg, Leg::Vendor(_));
        if is_gone || !self.leg.ping().await {
            return Err(End::upstream_gone());
        }
        self.hand_on(Message::Ping(Bytes::new())).await
    }

    pub(super) async fn hand_on(&mut self, message: Message) -> Result<(), End> {
        match timeout(STUCK_AFTER, self.client.send(message)).await {
            Ok(Ok(())) => Ok(()),
            // It left, or does not read: there is nobody to close with.
            _ => Err(End {
                client: None,
                leg: Some(GOING_AWAY),
            }),
        }
    }

    /// Tells the client what is wrong; the conversation goes on.
    pub(super) async fn tell(
        &mut self,
        failure: &Failure,
        caused_by: Option<&str>,
    ) -> Result<(), End> {
        self.events += 1;
        let id = format!("event_gateway_{}", self.events);
        let event = write_error_event(failure, &id, caused_by);
        self.hand_on(Message::Text(event.into())).await
    }

    /// Tells the client what is wrong, and ends the conversation.
    pub(super) async fn end_with(&mut self, failure: &Failure) -> End {
        let code = close_code_for(failure.kind);
        match self.tell(failure, None).await {
            Ok(()) => End::both(code, &failure.message, GOING_AWAY),
            Err(end) => end,
        }
    }

    async fn hear_client(
        &mut self,
        message: Option<Result<Message, axum::Error>>,
    ) -> Result<(), End> {
        self.client_alive = Instant::now();
        match message {
            Some(Ok(Message::Text(frame))) => {
                self.last_word = Instant::now();
                self.client_said(frame.as_str()).await
            }
            Some(Ok(Message::Binary(_))) => {
                Err(End::both(NO_BINARY, "Events are text.", GOING_AWAY))
            }
            Some(Ok(Message::Close(frame))) => Err(End {
                client: None,
                leg: close_code(frame.map(|frame| frame.code)),
            }),
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => Ok(()),
            Some(Err(error)) if is_too_big(&error) => {
                Err(End::both(TOO_BIG, "The event is too large.", GOING_AWAY))
            }
            Some(Err(_)) | None => Err(End {
                client: None,
                leg: Some(GOING_AWAY),
            }),
        }
    }

    async fn hear_leg(&mut self, heard: Heard) -> Result<(), End> {
        self.leg_alive = Instant::now();
        match heard {
            Heard::Text(frame) => {
                self.last_word = Instant::now();
                self.leg_said(frame).await
            }
            // Vendors send no binary frames, and their content could not be checked.
            Heard::Binary | Heard::Alive => Ok(()),
            Heard::Closed(code, reason) => {
                if !reason.is_empty() {
                    let text = dialects::error_body::mask(&reason);
                    tracing::info!(?code, reason = text, "the upstream has closed the session");
                }
                // The upstream's own words may be about its account.
                let reason = if reason.is_empty() {
                    ""
                } else {
                    "The upstream closed the session."
                };
                Err(End {
                    client: Some((close_code(code), reason.to_owned())),
                    leg: None,
                })
            }
            Heard::Gone => {
                let failure = Failure::new(FailureKind::UpstreamBad, "The upstream has gone.");
                Err(self.end_with(&failure).await)
            }
        }
    }
}

/// Waits until somebody switches the channel off; for ever where there is none.
async fn switched_off(channel: &mut Option<StopSignal>) {
    poll_fn(|cx| match channel {
        Some(channel) => channel.poll(cx),
        None => Poll::Pending,
    })
    .await;
}

fn is_too_big(error: &axum::Error) -> bool {
    let cause = std::error::Error::source(error);
    let cause = cause.and_then(|cause| cause.downcast_ref::<tungstenite::Error>());
    matches!(cause, Some(tungstenite::Error::Capacity(_)))
}
