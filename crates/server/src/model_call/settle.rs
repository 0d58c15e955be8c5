//! The end of a call: what it used becomes a charge, exactly once; charge and log row are
//! one commit. A call that failed or gave nothing costs nothing. Whoever drops a [`Settlement`]
//! without a word has left: the client went away.

use std::sync::Arc;
use std::time::Duration;

use billing::pricing::{Charge, Multiplier, PriceSheet, Tokens, charge};
use billing::wallet::{Reservation, Written};
use dialects::canonical::Failure;
use store::request_log::Attempt;
use tokio::time::Instant;

use super::call::Call;
use super::error::cause;
use super::log_row::{self, millis};
use super::measure;
use super::task::Used;
use super::trace;
use crate::app::App;
use crate::channels::Place;
use crate::clock;
use crate::in_flight::{Running, Shown};
use crate::in_place;
use crate::limits::Admitted;
use crate::telemetry::RequestScope;
use crate::tokens::Holder;

/// What the model costs this caller.
#[derive(Debug, Clone)]
pub struct Price {
    /// The price sheet.
    pub sheet: Arc<PriceSheet>,
    /// The multiplier of the holder's group.
    pub multiplier: Multiplier,
}

/// How a call ended.
#[derive(Debug, Clone)]
pub enum Ending {
    /// The client has the answer.
    Answered(Used),
    /// There is no answer, or it broke off.
    Failed(Failure),
    /// The client went away; it pays for what was generated until then.
    Left(Used),
}

impl Ending {
    /// The tokens that count: none where there is no answer.
    pub fn tokens(&self) -> Tokens {
        match self {
            Self::Answered(used) | Self::Left(used) => used.usage.tokens,
            Self::Failed(_) => Tokens::default(),
        }
    }
}

/// A call that has begun and is not yet settled. Boxed: it moves along with the call.
pub struct Settlement(Option<Box<Open>>);

/// What is known of a call while it runs.
pub struct Open {
    /// The service.
    pub app: Arc<App>,
    /// The call as it came in.
    pub call: Arc<Call>,
    /// Who pays.
    pub holder: Arc<Holder>,
    /// The model that the client asked for; empty until the body was read.
    pub model: String,
    /// Whether a stream was asked for.
    pub is_stream: bool,
    /// When the call began.
    pub began: Instant,
    /// How long it lasted, once it is over.
    lasted: Option<Duration>,
    /// From its beginning to the first byte for the client.
    pub first_byte: Option<Duration>,
    /// The request that log lines about the call belong to.
    pub scope: RequestScope,
    /// What the model costs.
    pub price: Option<Price>,
    /// Whether the head of an answer went out: the client has its status then.
    pub is_answering: bool,
    /// Where the call is, or was last.
    pub place: Option<Place>,
    /// The limits that it counts in; its slots are free when this is dropped.
    pub limits: Admitted,
    /// Tokens that earlier parts of the call took from them.
    taken_before: u64,
    attempts: Vec<Attempt>,
    reservation: Option<Reservation>,
    /// Its place on the list of calls under way, where somebody watches.
    shown: Option<Shown>,
}

/// What one part of a call hands on to the next.
#[derive(Default)]
pub struct Continued {
    place: Option<Place>,
    limits: Admitted,
    taken: u64,
}

impl Settlement {
    /// The settlement of a call that has just been authenticated.
    pub fn open(app: Arc<App>, call: Arc<Call>, holder: Arc<Holder>, began: Instant) -> Self {
        Self(Some(in_place::boxed(|| Open {
            app,
            call,
            holder,
            model: String::new(),
            is_stream: false,
            began,
            lasted: None,
            first_byte: None,
            scope: RequestScope::current(),
            price: None,
            is_answering: false,
            place: None,
            limits: Admitted::default(),
            taken_before: 0,
            attempts: Vec::new(),
            reservation: None,
            shown: None,
        })))
    }

    /// What is known of the call.
    pub fn known(&self) -> &Open {
        self.0.as_ref().expect("only its end takes it away")
    }

    /// The same, to add to it.
    pub fn known_mut(&mut self) -> &mut Open {
        self.0.as_mut().expect("only its end takes it away")
    }

    /// Puts what was set aside for the call with it.
    pub fn hold(&mut self, price: Price, reservation: Reservation) {
        let open = self.known_mut();
        open.price = Some(price);
        open.reservation = Some(reservation);
    }

    /// Goes to another place.
    pub fn move_to(&mut self, place: Place) {
        let open = self.known_mut();
        open.place = Some(place);
        open.show();
    }

    /// Notes one try.
    pub fn add_attempt(&mut self, attempt: Attempt) {
        let attempts = &mut self.known_mut().attempts;
        // Most calls have one, and are written with it as it is.
        if attempts.is_empty() {
            *attempts = Vec::with_capacity(1);
        }
        attempts.push(attempt);
    }

    /// Notes an error that the upstream told in the middle of a conversation.
    pub fn note_upstream_error(&mut self, failure: &Failure) {
        let open = self.known_mut();
        if open.attempts.last().is_none_or(|last| last.error.is_some())
            && let Some(place) = &open.place
        {
            let total_ms = millis(open.elapsed());
            open.attempts.push(Attempt {
                channel_id: place.channel.id,
                key_index: i64::try_from(place.key_index).ok(),
                status: None,
                error: None,
                started_after_ms: 0,
                connect_ms: None,
                first_byte_ms: None,
                total_ms,
            });
        }
        if let Some(last) = open.attempts.last_mut() {
            last.error = Some(told(failure));
        }
    }

    /// How many tries there were.
    pub fn attempt_count(&self) -> usize {
        self.known().attempts.len()
    }

    /// Ends the call. Does not wait: what it gives back does, as the node's durability asks.
    pub fn end(mut self, ending: &Ending) -> Written {
        let open = self.0.take().expect("only its end takes it away");
        open.settle(ending).0
    }

    /// Ends one part of a call that goes on, as conversations do.
    pub fn end_part(mut self, ending: &Ending) -> (Written, Continued) {
        let open = self.0.take().expect("only its end takes it away");
        open.settle(ending)
    }

    /// Lends place and limits to a part of the call that ends before this one; [`Self::resume`] takes them back.
    pub fn lend(&mut self) -> Continued {
        let open = self.known_mut();
        Continued {
            place: open.place.take(),
            limits: std::mem::take(&mut open.limits),
            taken: open.taken_before,
        }
    }

    /// Goes on where another part of the call has ended.
    pub fn resume(&mut self, continued: Continued) {
        let open = self.known_mut();
        open.place = continued.place;
        open.limits = continued.limits;
        open.taken_before = continued.taken;
        open.show();
    }

    /// Gives back what was set aside; the call has nothing more to pay from.
    pub fn release(&mut self) {
        self.known_mut().reservation = None;
    }

    /// Gives back what was set aside and leaves the call out of the log: it did not come about, or
    /// somebody else settles it.
    pub fn forget(mut self) {
        self.0.take();
    }
}

/// The error of a try that broke off. Only administrators see the text behind the cause.
fn told(failure: &Failure) -> String {
    format!("{}: {}", cause(failure.kind), failure.log_text())
}

impl Drop for Settlement {
    fn drop(&mut self) {
        if let Some(open) = self.0.take() {
            // Nobody is there to wait for it.
            drop(open.settle(&Ending::Left(Used::default())).0);
        }
    }
}

impl Open {
    /// The head of an answer goes out: the client has its status now, and what is left of the call
    /// may last.
    pub fn begin_answering(&mut self) {
        self.is_answering = true;
        self.call = Arc::new(self.call.without_head());
        self.show();
    }

    /// Shows how the call is doing to whoever watches; nobody does, for most.
    pub fn show(&mut self) {
        if self.shown.is_some() || self.app.in_flight().is_watched() {
            self.show_now();
        }
    }

    #[cold]
    fn show_now(&mut self) {
        let place = self.place.as_ref();
        let running = Running {
            request_id: self.call.caller.request_id.clone(),
            began_ms: self.call.caller.at_ms,
            user_id: self.holder.user_id,
            token_id: self.holder.token_id,
            endpoint: self.call.endpoint.into(),
            model: self.model.clone(),
            upstream_model: place.map(|place| place.upstream_model.clone()),
            channel_id: place.map(|place| place.channel.id),
            is_stream: self.is_stream,
            source: self.holder.source().into(),
            ip: self.call.caller.address,
            tries: self.attempts.len(),
            is_answering: self.is_answering,
        };
        match &self.shown {
            Some(shown) => shown.update(running),
            None => self.shown = self.app.in_flight().show(running),
        }
    }

    /// Shows a call that may have begun before anybody watched.
    pub fn show_late(&mut self) {
        if self.shown.is_none() {
            self.show();
        }
    }

    /// How long the call has run; the same for all who ask once it is over.
    pub fn elapsed(&self) -> Duration {
        self.lasted.unwrap_or_else(|| clock::since(self.began))
    }

    fn settle(self: Box<Self>, ending: &Ending) -> (Written, Continued) {
        // Most calls end where they ran.
        if self.scope.is_current() {
            return self.settle_inside(ending);
        }
        let scope = self.scope.clone();
        scope.in_scope(|| self.settle_inside(ending))
    }

    fn settle_inside(mut self: Box<Self>, ending: &Ending) -> (Written, Continued) {
        self.lasted = Some(clock::since(self.began));
        let now = self.app.clock().now_ms();
        let charge = self.charge(ending);
        measure::ended(&self, ending, charge.total_nanos);
        let taken = self.correct_limits(ending, now);
        let mut attempts = std::mem::take(&mut self.attempts);
        if let Some(last) = attempts.last_mut().filter(|last| last.error.is_none()) {
            // It has lasted until now, and may have broken off in the middle.
            last.total_ms = millis(self.elapsed()).saturating_sub(last.started_after_ms);
            if let Ending::Failed(failure) = ending {
                last.error = Some(told(failure));
            }
        }
        let row = log_row::of(&self, ending, attempts, now);
        trace::ended(&self, &row);
        let written = match self.reservation.take() {
            Some(reservation) => reservation.settle(charge, row),
            None => self.app.wallets().note(row),
        };
        let continued = Continued {
            place: self.place.take(),
            limits: std::mem::take(&mut self.limits),
            taken,
        };
        (written, continued)
    }

    /// Limits were told an estimate; now it is known what the call took.
    fn correct_limits(&self, ending: &Ending, now: i64) -> u64 {
        let tokens = ending.tokens();
        let taken = tokens.whole_input().saturating_add(tokens.output);
        let taken = taken.saturating_add(self.taken_before);
        self.limits.correct(taken, now);
        if let Some(place) = &self.place {
            place.used(taken);
        }
        taken
    }

    fn charge(&self, ending: &Ending) -> Charge {
        let (Ending::Answered(used) | Ending::Left(used)) = ending else {
            return Charge::default();
        };
        let Some(price) = self.price.as_ref().filter(|_| used.is_billable) else {
            return Charge::default();
        };
        charge(&price.sheet, price.multiplier, &used.usage).unwrap_or_else(|error| {
            let request_id = &*self.call.caller.request_id;
            tracing::error!(%error, request_id, "a usage has no price; the call is not charged");
            Charge::default()
        })
    }
}
