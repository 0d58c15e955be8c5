//! `POST /api/channel/test`: the events `step` and, at the end, `done`. A client that leaves ends the
//! test.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::unfold;
use schemars::JsonSchema;
use serde::Serialize;
use tokio::sync::mpsc;

use super::report::{Outcome, Report, Verdict};
use super::run::run;
use crate::app::App;
use crate::management::channels::subject::{Subject, Trial};
use crate::management::frame::{ApiError, Input};

/// More reports than steps are never waiting.
const WAITING: usize = 16;
/// The longest test.
const LONGEST: Duration = Duration::from_mins(2);

/// What a test says.
#[derive(JsonSchema)]
#[schemars(untagged)]
pub enum TestEvent {
    /// The event `step`.
    Step(Report),
    /// The event `done`.
    Done(Verdict),
}

/// Tries a channel out.
pub async fn test(
    State(app): State<Arc<App>>,
    Input(trial): Input<Trial>,
) -> Result<Response, ApiError> {
    let subject = Subject::open(&app, trial).await?;
    let (sender, receiver) = mpsc::channel(WAITING);
    tokio::spawn(async move {
        tokio::select! {
            () = sender.closed() => {}
            () = watch(&app, subject, &sender) => {}
        }
    });
    let events = unfold(receiver, async |mut receiver| {
        let said = receiver.recv().await?;
        Some((Ok::<_, Infallible>(event(&said)), receiver))
    });
    Ok(Sse::new(Box::pin(events))
        .keep_alive(KeepAlive::default())
        .into_response())
}

async fn watch(app: &App, subject: Subject, sender: &mpsc::Sender<TestEvent>) {
    let mut failed_step = None;
    let model = subject.model.clone();
    let (reports, mut incoming) = mpsc::channel::<Report>(WAITING);
    let running = tokio::time::timeout(LONGEST, run(app, subject, reports));
    let passing_on = async {
        while let Some(report) = incoming.recv().await {
            if report.outcome == Outcome::Failed {
                failed_step.get_or_insert(report.step);
            }
            // A watcher who has left ends the test elsewhere.
            let _ = sender.send(TestEvent::Step(report)).await;
        }
    };
    let (cost_usd, ()) = tokio::join!(running, passing_on);
    let verdict = Verdict {
        success: failed_step.is_none() && cost_usd.is_ok(),
        failed_step,
        model,
        cost_usd: cost_usd.ok().flatten(),
    };
    let _ = sender.send(TestEvent::Done(verdict)).await;
}

fn event(said: &TestEvent) -> Event {
    match said {
        TestEvent::Step(report) => named("step", report),
        TestEvent::Done(verdict) => named("done", verdict),
    }
}

fn named(name: &str, data: &impl Serialize) -> Event {
    let text = serde_json::to_string(data).unwrap_or_default();
    Event::default().event(name).data(text)
}
