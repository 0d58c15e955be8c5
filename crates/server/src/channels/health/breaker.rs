//! A circuit breaker: closed while things go well, open after too many failures, half-open for a
//! single probe when its time is up. It never stays open for ever.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use parking_lot::Mutex;

/// Failures in a row that open it; more where many calls came of late ([`is_long`]).
const IN_A_ROW: u32 = 5;
/// Failures of late that open it, where at least half of all calls failed.
const OF_LATE: f64 = 10.0;
/// What counts as of late: after this long a call counts half.
const HALF_LIFE_MS: f64 = 30_000.0;
/// One that opens again within this time of closing stays open longer than before.
const RELAPSE_MS: i64 = 60_000;
/// The longest reason that is kept.
const REASON_CHARACTERS: usize = 300;

/// How long it stays open: at first, and at most when it keeps opening.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::channels) struct Patience {
    pub(in crate::channels) first_ms: i64,
    pub(in crate::channels) most_ms: i64,
    /// Maximum pause after a probe that failed within [`FAST_PROBE_MS`]. Such a probe costs its call nearly nothing, so
    /// it can be repeated soon, and a recovered upstream is used again within one pause.
    pub(in crate::channels) max_ms_after_fast_probe: i64,
}

/// A probe that fails within this time counts as fast.
pub(in crate::channels) const FAST_PROBE_MS: i64 = 2_000;

/// What it lets through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::channels) enum Standing {
    /// Everything.
    Closed,
    /// Nothing until then.
    Open {
        /// When a probe may go.
        until_ms: i64,
    },
    /// One probe.
    HalfOpen,
    /// Nothing: a probe is under way.
    Probing,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    #[default]
    Closed,
    Open {
        until_ms: i64,
    },
    Probing,
}

/// The breaker.
#[derive(Debug, Default)]
pub(in crate::channels) struct Breaker {
    /// Whether it is anything but closed: the one thing that a healthy call reads.
    is_tripped: AtomicBool,
    in_a_row: AtomicU32,
    /// Successes since the last failure was looked at.
    successes: AtomicU32,
    /// Boxed: no call looks at it while things go well, and what it does look at then lies together.
    state: Box<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    phase: Phase,
    /// How often it opened without a lasting recovery between.
    openings: u32,
    /// Since when it has been anything but closed.
    tripped_at_ms: i64,
    /// Start of the current probe.
    probe_began_ms: i64,
    closed_at_ms: i64,
    failures: f64,
    all: f64,
    faded_at_ms: i64,
    reason: String,
}

impl Breaker {
    /// What it would let through now.
    pub(in crate::channels) fn standing(&self, now_ms: i64) -> Standing {
        if !self.is_tripped.load(Ordering::Acquire) {
            return Standing::Closed;
        }
        match self.state.lock().phase {
            Phase::Closed => Standing::Closed,
            Phase::Open { until_ms } if now_ms < until_ms => Standing::Open { until_ms },
            Phase::Open { .. } => Standing::HalfOpen,
            Phase::Probing => Standing::Probing,
        }
    }

    /// Lets a call through, or not. The answer says whether the call is the probe.
    pub(super) fn enter(&self, now_ms: i64) -> Result<bool, Standing> {
        if !self.is_tripped.load(Ordering::Acquire) {
            return Ok(false);
        }
        let mut state = self.state.lock();
        match state.phase {
            Phase::Closed => Ok(false),
            Phase::Open { until_ms } if now_ms < until_ms => Err(Standing::Open { until_ms }),
            Phase::Open { .. } => {
                state.phase = Phase::Probing;
                state.probe_began_ms = now_ms;
                Ok(true)
            }
            Phase::Probing => Err(Standing::Probing),
        }
    }

    /// A probe ended without telling anything: the next call may be one.
    pub(super) fn probe_left(&self, now_ms: i64) {
        let mut state = self.state.lock();
        if state.phase == Phase::Probing {
            state.phase = Phase::Open { until_ms: now_ms };
        }
    }

    /// A call went well. Only a probe closes an open breaker: other calls began before it opened.
    pub(super) fn succeeded(&self, is_probe: bool, now_ms: i64) {
        self.successes.fetch_add(1, Ordering::Relaxed);
        if self.in_a_row.load(Ordering::Relaxed) != 0 {
            self.in_a_row.store(0, Ordering::Relaxed);
        }
        if is_probe {
            let mut state = self.state.lock();
            state.phase = Phase::Closed;
            state.closed_at_ms = now_ms;
            state.failures = 0.0;
            state.all = 0.0;
            self.is_tripped.store(false, Ordering::Release);
        }
    }

    /// A call failed; enough of them open it. The answer says whether this one did.
    pub(super) fn failed(
        &self,
        is_probe: bool,
        reason: &str,
        patience: Patience,
        now_ms: i64,
    ) -> bool {
        let mut state = self.state.lock();
        let in_a_row = self.in_a_row.fetch_add(1, Ordering::Relaxed) + 1;
        let successes = f64::from(self.successes.swap(0, Ordering::Relaxed));
        state.fade(now_ms);
        state.failures += 1.0;
        state.all += successes + 1.0;
        let is_often = state.failures >= OF_LATE && state.failures * 2.0 >= state.all;
        let opens = match state.phase {
            Phase::Probing => is_probe,
            Phase::Closed => is_long(in_a_row, state.all) || is_often,
            Phase::Open { .. } => false,
        };
        if opens {
            self.open(&mut state, reason, patience, now_ms);
        }
        opens
    }

    /// Opens at once, whatever happened before. The answer says whether it was not open yet.
    pub(super) fn trip(&self, reason: &str, patience: Patience, now_ms: i64) -> bool {
        let mut state = self.state.lock();
        // Calls that began before it opened fail late; they make nothing worse.
        let is_open = matches!(state.phase, Phase::Open { until_ms } if now_ms < until_ms);
        if !is_open {
            self.open(&mut state, reason, patience, now_ms);
        }
        !is_open
    }

    fn open(&self, state: &mut State, reason: &str, patience: Patience, now_ms: i64) {
        let is_relapse =
            now_ms.saturating_sub(state.closed_at_ms) < RELAPSE_MS || state.phase != Phase::Closed;
        state.openings = if is_relapse { state.openings + 1 } else { 1 };
        let doubled = state.openings.saturating_sub(1).min(20);
        let is_fast_probe = state.phase == Phase::Probing
            && now_ms.saturating_sub(state.probe_began_ms) < FAST_PROBE_MS;
        let max_ms = if is_fast_probe {
            patience.max_ms_after_fast_probe
        } else {
            patience.most_ms
        };
        let open_for = patience.first_ms.saturating_mul(1 << doubled).min(max_ms);
        state.phase = Phase::Open {
            until_ms: now_ms.saturating_add(open_for),
        };
        state.reason = reason.chars().take(REASON_CHARACTERS).collect();
        if !self.is_tripped.load(Ordering::Acquire) {
            state.tripped_at_ms = now_ms;
        }
        self.in_a_row.store(0, Ordering::Relaxed);
        self.is_tripped.store(true, Ordering::Release);
    }

    /// Why it opened last; none while it is closed.
    pub(in crate::channels) fn reason(&self) -> Option<String> {
        let is_tripped = self.is_tripped.load(Ordering::Acquire);
        is_tripped.then(|| self.state.lock().reason.clone())
    }

    /// Since when it has not been closed; none while it is.
    pub(in crate::channels) fn tripped_at_ms(&self) -> Option<i64> {
        let is_tripped = self.is_tripped.load(Ordering::Acquire);
        is_tripped.then(|| self.state.lock().tripped_at_ms)
    }

    /// Whether the last thing known of it is a success, or nothing.
    pub(in crate::channels) fn is_steady(&self) -> bool {
        !self.is_tripped.load(Ordering::Acquire) && self.in_a_row.load(Ordering::Relaxed) == 0
    }

    /// Closes and forgets: what it was about has been changed.
    pub(super) fn start_afresh(&self) {
        let mut state = self.state.lock();
        *state = State::default();
        self.in_a_row.store(0, Ordering::Relaxed);
        self.successes.store(0, Ordering::Relaxed);
        self.is_tripped.store(false, Ordering::Release);
    }
}

/// Whether a row of failures is longer than chance would bring it among so many calls. Where a tenth of all
/// fail, five in a row come once in a hundred thousand, which a busy channel has in seconds.
fn is_long(in_a_row: u32, calls: f64) -> bool {
    in_a_row >= IN_A_ROW && f64::from(in_a_row) >= calls.log2()
}

impl State {
    fn fade(&mut self, now_ms: i64) {
        let age = now_ms.saturating_sub(self.faded_at_ms).max(0);
        #[expect(
            clippy::cast_precision_loss,
            reason = "ages of centuries do not matter"
        )]
        let kept = (-(age as f64) / HALF_LIFE_MS).exp2();
        self.failures *= kept;
        self.all *= kept;
        self.faded_at_ms = now_ms;
    }
}
