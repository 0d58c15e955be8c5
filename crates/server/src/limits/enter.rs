//! Whether a call may go on: all limits of its token, user and group at once, in one step.

use std::sync::Arc;

use dialects::canonical::{Failure, FailureKind};
use store::shared::{Admission, Charge, Limit, Shared, SharedError, SlotOwner, SlotWanted};

use super::admitted::{Admitted, Limited, Shown, Taken};
use super::few::Few;
use super::limiter::{Held, Limiter};
use super::scope::{Ceilings, HolderLimits, SCOPES, Scope};
use crate::app::App;
use crate::tokens::Holder;

const MINUTE_MS: u64 = 60_000;
/// The most that can be counted exactly in a minute.
const MOST: u64 = (1 << 52) / MINUTE_MS;
/// When to come again where a call has to end first.
const SOON_MS: u64 = 1_000;

/// Counts a call against the limits of its token, user and group; `tokens` is what it may take at
/// most or is thought to take.
pub async fn admit(
    app: &App,
    holder: &Holder,
    tokens: u64,
    now_ms: i64,
) -> Result<Admitted, Box<Limited>> {
    let limits = &app.config().limits;
    let default = Ceilings::of_configuration(limits.rpm, limits.tpm, limits.concurrency);
    let limiter = app.limiter();
    limiter
        .admit(holder.limits(), default, tokens, now_ms)
        .await
}

/// A scope with the ceilings that count for it.
type Counted<'a> = (&'a Scope, Ceilings);
/// Token, user and group, as far as they have limits.
type AllCounted<'a> = Few<Counted<'a>, SCOPES>;

/// Each scope can have a limit of requests and one of tokens.
const MOST_CHARGES: usize = 2 * SCOPES;

/// What is asked of a state, scope by scope.
struct Question<'a> {
    counted: &'a AllCounted<'a>,
    charges: Few<Charge<'a>, MOST_CHARGES>,
    /// For each charge: what it is about.
    about: Few<About<'a>, MOST_CHARGES>,
    slots: Few<SlotWanted<'a>, SCOPES>,
    /// The call's number, and when it asks.
    call: u64,
    now_ms: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Requests,
    Tokens,
}

#[derive(Debug, Clone, Copy)]
struct About<'a> {
    key: &'a Arc<str>,
    kind: Kind,
    ceiling: u64,
}

impl Limiter {
    /// Counts a call against a holder's limits; `default` is for a token without limits of its own.
    pub async fn admit(
        &self,
        limits: &HolderLimits,
        default: Ceilings,
        tokens: u64,
        now_ms: i64,
    ) -> Result<Admitted, Box<Limited>> {
        let own = (&limits.token, limits.token.ceilings.or(default));
        let mut counted: AllCounted<'_> = Few::new(own);
        if !own.1.is_unlimited() {
            counted.push(own);
        }
        for scope in [&limits.user, &limits.group].into_iter().flatten() {
            counted.push((scope, scope.ceilings));
        }
        if counted.is_empty() {
            return Ok(Admitted::default());
        }
        let call = (self.next_call(), now_ms);
        let question = Question::new(&counted, tokens, call, |limit| limit);
        match question.ask(&self.0.shared, self).await {
            Ok(admitted) => {
                self.note_away(false);
                admitted
            }
            Err(SharedError::Full) => Err(crowded().into()),
            Err(error) => {
                self.note_away(true);
                if !error.is_unavailable() {
                    tracing::warn!(%error, "the shared limits gave no answer");
                }
                let question = Question::new(&counted, tokens, call, |limit| self.share(limit));
                // Boxed: most calls get their answer at the first time of asking.
                Box::pin(question.ask(&self.0.own, self))
                    .await
                    .unwrap_or_else(|_| Err(crowded().into()))
            }
        }
    }

    /// The name that a call takes slots by, unlike that of any other call on any node.
    fn owner(&self, call: u64) -> String {
        let mut number = itoa::Buffer::new();
        let number = number.format(call);
        let mut owner = String::with_capacity(self.0.node.len() + 1 + number.len());
        owner.push_str(&self.0.node);
        owner.push('-');
        owner.push_str(number);
        owner
    }
}

impl<'a> Question<'a> {
    /// What the scopes have to say to a call, each with `share` of its ceilings.
    fn new(
        counted: &'a AllCounted<'a>,
        tokens: u64,
        (call, now_ms): (u64, i64),
        share: impl Fn(u64) -> u64,
    ) -> Self {
        let (scope, _) = counted[0];
        let about = About::new(&scope.requests, Kind::Requests, 1);
        let mut question = Self {
            counted,
            charges: Few::new(about.charge(0)),
            about: Few::new(about),
            slots: Few::new(SlotWanted {
                key: &scope.slots,
                capacity: 0,
            }),
            call,
            now_ms,
        };
        for (scope, ceilings) in counted.iter() {
            if let Some(ceiling) = ceilings.rpm {
                question.charge(&scope.requests, Kind::Requests, share(ceiling), 1);
            }
            if let Some(ceiling) = ceilings.tpm {
                question.charge(&scope.tokens, Kind::Tokens, share(ceiling), tokens);
            }
            if let Some(most) = ceilings.concurrency {
                question.slots.push(SlotWanted {
                    key: &scope.slots,
                    capacity: u32::try_from(share(most.into())).unwrap_or(u32::MAX),
                });
            }
        }
        question
    }

    fn charge(&mut self, key: &'a Arc<str>, kind: Kind, ceiling: u64, cost: u64) {
        let about = About::new(key, kind, ceiling);
        self.charges.push(about.charge(cost));
        self.about.push(about);
    }

    async fn ask(
        &self,
        state: &Shared,
        limiter: &Limiter,
    ) -> Result<Result<Admitted, Box<Limited>>, SharedError> {
        let name = limiter.owner(self.call);
        let owner = SlotOwner {
            owner: &name,
            lease_ms: Limiter::lease_ms(state),
        };
        let now_ms = self.now_ms;
        let answer = state
            .admit(&self.charges, &self.slots, owner, now_ms)
            .await?;
        Ok(match answer {
            Admission::Admitted { remaining } => {
                Ok(self.admitted(state, limiter, name, &remaining))
            }
            Admission::Limited {
                index,
                retry_after_ms,
            } => Err(self.about[index].refusal(retry_after_ms.unwrap_or(MINUTE_MS), now_ms)),
            Admission::Full { index } => Err(too_many_at_once(self.slots[index].capacity).into()),
        })
    }

    fn admitted(
        &self,
        state: &Shared,
        limiter: &Limiter,
        owner: String,
        remaining: &[u64],
    ) -> Admitted {
        let shown = |kind: Kind| {
            let of_kind = self
                .about
                .iter()
                .zip(remaining)
                .filter(|(about, _)| about.kind == kind);
            let tightest = of_kind.min_by_key(|(about, left)| (**left, about.ceiling))?;
            Some(Shown {
                limit: tightest.0.ceiling,
                remaining: *tightest.1,
            })
        };
        let charges = self.charges.iter().zip(self.about.iter());
        let taken = charges
            .filter(|(_, about)| about.kind == Kind::Tokens)
            .map(|(charge, about)| Taken::new(about.key, charge))
            .collect();
        let (requests, tokens) = (shown(Kind::Requests), shown(Kind::Tokens));
        let held = (!self.slots.is_empty()).then(|| Held {
            owner,
            keys: std::array::from_fn(|index| {
                let (scope, ceilings) = self.counted.get(index)?;
                ceilings.concurrency.map(|_| scope.slots.clone())
            }),
        });
        Admitted::new(limiter, state, (self.call, held), taken, self.now_ms)
            .showing(requests, tokens)
    }
}

impl<'a> About<'a> {
    fn new(key: &'a Arc<str>, kind: Kind, ceiling: u64) -> Self {
        let ceiling = ceiling.clamp(1, MOST);
        Self { key, kind, ceiling }
    }

    /// A cost beyond the whole limit counts as all of it: such a call waits for an empty minute.
    fn charge(self, cost: u64) -> Charge<'a> {
        let limit = Limit::smooth(self.ceiling, MINUTE_MS, self.ceiling);
        Charge {
            key: self.key,
            limit: limit.expect("the ceiling is above zero and within what can be counted"),
            cost: cost.min(self.ceiling),
        }
    }

    fn refusal(self, retry_after_ms: u64, now_ms: i64) -> Box<Limited> {
        let spent = Some(Shown {
            limit: self.ceiling,
            remaining: 0,
        });
        let (unit, shown) = match self.kind {
            Kind::Requests => ("requests", Admitted::refused(spent, None, now_ms)),
            Kind::Tokens => ("tokens", Admitted::refused(None, spent, now_ms)),
        };
        let text = format!("Rate limit reached: {} {unit} per minute.", self.ceiling);
        Box::new(Limited {
            failure: later(&text, retry_after_ms.max(1)),
            shown,
        })
    }
}

fn too_many_at_once(capacity: u32) -> Failure {
    later(
        &format!("Rate limit reached: {capacity} requests at once."),
        SOON_MS,
    )
}

fn crowded() -> Failure {
    later("Too many calls are under way.", SOON_MS)
}

fn later(text: &str, retry_after_ms: u64) -> Failure {
    Failure {
        retry_after_ms: Some(retry_after_ms),
        ..Failure::new(FailureKind::RateLimited, text)
    }
}
