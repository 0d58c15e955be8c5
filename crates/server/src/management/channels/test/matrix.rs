//! Many channels with many models, tried out one after the other in a task: each cell says how the
//! channel did with the model. Whoever started it may leave and look again later.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::State;
use futures_util::{StreamExt as _, stream};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::StoreError;
use store::tasks::TaskState;

use super::ask::{Asked, ask};
use crate::app::App;
use crate::management::channels::subject::{Subject, Trial};
use crate::management::frame::{ApiError, Identity, Input, Reply};
use crate::model_pattern::beginning;
use crate::tasks::{RunningTask, TaskKind, TaskNote};

/// Cells at most.
const MOST: usize = 2_000;
/// Cells that are tried at once.
const AT_ONCE: usize = 4;
/// The longest that a cell may take.
const LONGEST: Duration = Duration::from_secs(30);

/// What to try out.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Matrix {
    /// With these channels.
    channel_ids: Vec<i64>,
    /// These models.
    models: Vec<String>,
}

/// The task that tries it out.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MatrixBegun {
    /// Its id; `result.cells` of the task says how each cell did.
    task_id: String,
}

/// How a channel did with a model.
#[derive(Clone, Debug, Serialize)]
struct Cell {
    channel_id: i64,
    model: String,
    /// `passed`, `failed` or `skipped`.
    outcome: &'static str,
    detail: String,
    took_ms: u64,
}

/// Begins to try many channels out.
pub async fn matrix(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(input): Input<Matrix>,
) -> Result<Reply<MatrixBegun>, ApiError> {
    let count = input.channel_ids.len().saturating_mul(input.models.len());
    if count == 0 || count > MOST {
        let text = "must make 1 to 2000 cells with the models";
        return Err(ApiError::bad_field("channel_ids", text));
    }
    let total = i64::try_from(count).ok();
    let (kind, note) = (TaskKind::ChannelTest, TaskNote::TestsChannels);
    let task = RunningTask::begin(&app, kind, actor.id(), &note, total).await?;
    let task_id = task.id().to_owned();
    tokio::spawn(async move {
        if let Err(error) = work_off(&app, &input, task).await {
            tracing::warn!(%error, "a test of channels could not be noted");
        }
    });
    Ok(Reply::of(MatrixBegun { task_id }))
}

async fn work_off(
    app: &Arc<App>,
    matrix: &Matrix,
    mut task: RunningTask,
) -> Result<(), StoreError> {
    let mut tries = Vec::new();
    for channel in &matrix.channel_ids {
        let models = matrix.models.iter().cloned();
        tries.extend(models.map(|model| cell(app.clone(), *channel, model)));
    }
    let mut trying = stream::iter(tries).buffer_unordered(AT_ONCE);
    let mut cells = Vec::new();
    while let Some(cell) = trying.next().await {
        cells.push(cell);
        if !task.step(Some(json!({ "cells": cells }))).await? {
            return task
                .finish(TaskState::Cancelled, &TaskNote::CancelledHalfWay)
                .await;
        }
    }
    let failed = cells.iter().filter(|cell| cell.outcome == "failed").count();
    let count = cells.len();
    let note = TaskNote::Tested { count, failed };
    task.finish(TaskState::Done, &note).await
}

async fn cell(app: Arc<App>, channel_id: i64, model: String) -> Cell {
    let began = Instant::now();
    let tried = tokio::time::timeout(LONGEST, try_out(&app, channel_id, &model)).await;
    let (outcome, detail) = tried.unwrap_or_else(|_| ("failed", "no answer in time".to_owned()));
    Cell {
        channel_id,
        model,
        outcome,
        detail,
        took_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
    }
}

async fn try_out(app: &App, channel_id: i64, model: &str) -> (&'static str, String) {
    if beginning(model).is_some() {
        return ("skipped", "a pattern is no model: name one".to_owned());
    }
    let subject = match Subject::open(app, Trial::of(channel_id, model)).await {
        Ok(subject) => subject,
        Err(problem) => return ("failed", problem.to_string()),
    };
    if subject.channel.upstream_model(model).is_none() {
        return ("skipped", "the channel does not serve the model".to_owned());
    }
    match ask(app, &subject, false).await {
        Ok(Asked::Answered(answer)) => ("passed", answer.beginning),
        Ok(Asked::NothingToAsk(why)) => ("skipped", why.to_string()),
        Err(failure) => ("failed", failure.to_string()),
    }
}
