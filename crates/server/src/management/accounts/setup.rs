//! The first minutes: set-up with the one-time code of the setup link.

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::shared::Change;
use store::users;

use super::login::{LoginView, welcome};
use crate::accounts::{Client, Guess, Proof, SetUp, begin_try, is_setup_code, log_in_user, set_up};
use crate::app::App;
use crate::background::announce;
use crate::config::{ConsoleMode, Dollars, Secret};
use crate::management::frame::{ApiError, Input, Reply};
use crate::management::users::rules;
use crate::middleware::Caller;
use crate::settings::Settings;

/// What root is given, so that the first call can be charged.
const GRANT: Dollars = Dollars::whole(100);

/// Whether set-up is still to be done.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SetUpView {
    /// Whether there is a root user.
    is_set_up: bool,
}

/// `GET /api/setup`.
pub(super) async fn show(State(app): State<Arc<App>>) -> Result<Reply<SetUpView>, ApiError> {
    let is_set_up = settings(&app).await?.is_set_up;
    Ok(Reply::of(SetUpView { is_set_up }))
}

/// The first user.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SetUpInput {
    /// The one-time code of the setup link.
    code: String,
    /// The root user's name.
    username: String,
    /// The root user's password.
    #[schemars(with = "String")]
    password: Secret,
    /// Whether to make the demo channel.
    #[serde(default)]
    demo: Option<bool>,
    /// Whom the service is for. `personal` and `team` switch registration off, `public` on; without
    /// it, the configuration decides.
    mode: Option<ConsoleMode>,
}

/// `POST /api/setup`: makes the root user and logs it in.
pub(super) async fn claim(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    client: Client,
    Input(input): Input<SetUpInput>,
) -> Result<Reply<LoginView>, ApiError> {
    let now = app.clock().now_ms();
    let stored = settings(&app).await?;
    if stored.is_set_up {
        return Err(ApiError::conflict("Set-up was done before."));
    }
    // Whoever has the right code can always claim the instance: only wrong ones are counted.
    if !is_setup_code(&stored, app.keys(), input.code.trim(), now) {
        begin_try(&app, Guess::SetupCode, &client, None).await?;
        let text = "The setup code is wrong or over; the service prints a new one when it starts.";
        return Err(ApiError::forbidden(text).with_code("setup_code_wrong"));
    }
    rules::password(&app, &input.password)?;
    let request = SetUp {
        username: rules::username(&input.username)?,
        password: input.password,
        demo: input.demo.unwrap_or(false),
        token_name: None,
        grant: GRANT,
        mode: input.mode,
    };
    let done = set_up(
        app.store(),
        app.keys(),
        app.clock(),
        app.randomness(),
        request,
    )
    .await?;
    // Records that were declared wait for a root user.
    announce(&app, Change::Everything).await;
    let root = users::get(app.store().read(), done.user_id).await?;
    let root = root.ok_or_else(ApiError::broken)?;
    welcome(
        &app,
        &caller,
        log_in_user(&app, &client, root, Proof::Own).await?,
    )
    .await
}

async fn settings(app: &App) -> Result<Settings, ApiError> {
    let stored = store::settings::load::<Settings>(app.store().read()).await?;
    Ok(stored.map(|stored| stored.document).unwrap_or_default())
}
