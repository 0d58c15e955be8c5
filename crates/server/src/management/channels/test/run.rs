//! The steps of a test, in their order. A step whose failure makes the rest pointless ends the test.

use std::time::{Duration, Instant};

use billing::pricing::{Multiplier, OtherUnits, charge, format_dollars};
use dialects::canonical::Usage;
use providers::transport::{ProbeStep, Probed};
use providers::{CausedBy, Fault, UpstreamFailure};
use tokio::sync::mpsc::Sender;

use super::ask::{Asked, ask};
use super::note::StepNote;
use super::report::{Outcome, Report};
use crate::app::App;
use crate::channels::Destination;
use crate::management::channels::fetch_models::models_of;
use crate::management::channels::subject::Subject;
use crate::model_call::tokens_of;

/// Runs a test; says what the reply cost, where it came to that.
pub async fn run(app: &App, subject: Subject, reports: Sender<Report>) -> Option<String> {
    let test = Test {
        app,
        subject,
        reports,
    };
    if !test.reach().await || !test.list_models().await {
        return None;
    }
    test.talk().await
}

struct Test<'a> {
    app: &'a App,
    subject: Subject,
    reports: Sender<Report>,
}

impl Test<'_> {
    async fn say(&self, report: Report) {
        // Nobody listens once the watcher has left; then the whole test is dropped.
        let _ = self.reports.send(report).await;
    }

    /// Resolve, connect, TLS.
    async fn reach(&self) -> bool {
        let steps = ["resolve", "connect", "tls"];
        let Destination::Vendor { upstream, egress } = &self.subject.channel.keys[0].destination
        else {
            for step in steps {
                let why = StepNote::InsideTheGateway;
                self.say(Report::skipped(step, why)).await;
            }
            return true;
        };
        let mut done = Vec::new();
        let began = Instant::now();
        let outbound = self.app.outbound();
        let mut tell = |probed: Probed| done.push(probed);
        let probed = outbound
            .probe(upstream.base.origin(), egress, &mut tell)
            .await;
        for step in done {
            let name = step_name(step.step);
            let report = if step.is_done {
                Report::new(name, Outcome::Ok, step.took, "")
            } else {
                Report::skipped(name, StepNote::PlainHttp)
            };
            self.say(report).await;
        }
        let Err(failure) = probed else { return true };
        let (step, detail) = (step_name(failure.step), failure.error.to_string());
        self.say(Report::new(step, Outcome::Failed, began.elapsed(), detail))
            .await;
        false
    }

    /// Authenticate and list models: the vendors' lists show whether the key is taken.
    async fn list_models(&self) -> bool {
        let began = Instant::now();
        let listed = models_of(self.app, &self.subject).await;
        let took = began.elapsed();
        let (authenticate, list) = match listed {
            Ok(Some(models)) => {
                let count = models.len();
                let (accepted, models) = (StepNote::KeyAccepted, StepNote::Models { count });
                (
                    Report::noted("authenticate", Outcome::Ok, took, accepted),
                    Report::noted("list_models", Outcome::Ok, took, models),
                )
            }
            Ok(None) => (
                Report::skipped("authenticate", StepNote::ReplyWillShow),
                Report::skipped("list_models", StepNote::NoList),
            ),
            Err(failure) if is_credential(&failure) => {
                let detail = failure.to_string();
                let report = Report::new("authenticate", Outcome::Failed, took, detail);
                self.say(report).await;
                return false;
            }
            Err(failure) => (
                Report::skipped("authenticate", StepNote::ReplyWillShow),
                Report::new("list_models", Outcome::Warning, took, failure.to_string()),
            ),
        };
        self.say(authenticate).await;
        self.say(list).await;
        true
    }

    /// One reply, one stream, and what the reply costs.
    async fn talk(&self) -> Option<String> {
        let mut used = None;
        for (step, is_stream) in [("reply", false), ("stream", true)] {
            let began = Instant::now();
            match ask(self.app, &self.subject, is_stream).await {
                Ok(Asked::Answered(answer)) => {
                    let took = began.elapsed();
                    let report = if is_stream {
                        let first_byte = answer.first_byte.unwrap_or_default().as_millis();
                        let count = u64::try_from(first_byte).unwrap_or(u64::MAX);
                        Report::noted(step, Outcome::Ok, took, StepNote::FirstByte { count })
                    } else {
                        let detail = format!("\u{201c}{}\u{201d}", answer.beginning);
                        Report::new(step, Outcome::Ok, took, detail)
                    };
                    self.say(report).await;
                    used = used.or(answer.usage);
                }
                Ok(Asked::NothingToAsk(why)) => self.say(Report::skipped(step, why)).await,
                Err(failure) => {
                    let detail = failure.to_string();
                    let report = Report::new(step, Outcome::Failed, began.elapsed(), detail);
                    self.say(report).await;
                    return None;
                }
            }
        }
        self.cost(used).await
    }

    async fn cost(&self, used: Option<Usage>) -> Option<String> {
        let (Some(used), Some(model)) = (used, &self.subject.model) else {
            self.say(Report::skipped("cost", StepNote::NoUsage)).await;
            return None;
        };
        let (upstream, now) = (
            self.subject.upstream_model.as_deref(),
            self.app.clock().now_ms(),
        );
        let found = self.app.prices().book().find(model, upstream, now);
        let usage = billing::pricing::Usage {
            tokens: tokens_of(&used),
            other: OtherUnits {
                calls: 1,
                ..OtherUnits::default()
            },
        };
        let charged = found.and_then(|price| charge(&price.sheet, Multiplier::ONE, &usage).ok());
        let Some(charged) = charged else {
            let why = StepNote::NoPrice;
            let report = Report::noted("cost", Outcome::Warning, Duration::ZERO, why);
            self.say(report).await;
            return None;
        };
        let dollars = format_dollars(charged.total_nanos);
        let note = StepNote::Cost {
            usd: dollars.clone(),
        };
        self.say(Report::noted("cost", Outcome::Ok, Duration::ZERO, note))
            .await;
        Some(dollars)
    }
}

fn step_name(step: ProbeStep) -> &'static str {
    match step {
        ProbeStep::Resolve => "resolve",
        ProbeStep::Connect => "connect",
        ProbeStep::Tls => "tls",
    }
}

fn is_credential(failure: &UpstreamFailure) -> bool {
    failure.caused_by == CausedBy::Gateway && failure.kind == Fault::Credential
}
