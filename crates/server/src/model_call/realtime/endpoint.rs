//! The endpoint: everything that can be refused is, before the upgrade.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Extension;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{FromRequestParts, Request, State};
use axum::response::Response;
use dialects::DialectId;
use dialects::canonical::Failure;
use dialects::realtime::{Offer, SUBPROTOCOL, SessionKind, refuse_beta};
use http::{HeaderMap, Uri, header};

use super::bill::Bill;
use super::dial::dial;
use super::relay::Relay;
use super::task::RealtimeTask;
use crate::app::App;
use crate::demo;
use crate::middleware::Caller;
use crate::model_call::call::Call;
use crate::model_call::error::{respond, upgrade_required};
use crate::model_call::pipeline::{self, Refused};
use crate::model_call::query;
use crate::model_call::settle::Settlement;
use crate::telemetry::RequestScope;

/// The endpoint's name in rights and in the log.
const ENDPOINT: &str = "/v1/realtime";
/// The demo channel's model, which is the default where it is served.
const DEMO_MODEL: &str = "demo-realtime";
/// The same for sessions that only write down what is said.
const DEMO_TRANSCRIBER: &str = "demo-transcribe";
/// The longest event of a client: 15 MiB of sound in base64.
const LONGEST_EVENT: usize = 24 << 20;

/// `GET /v1/realtime`
pub async fn realtime(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let (mut parts, body) = request.into_parts();
    let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &app).await;
    let request = Request::from_parts(parts, body);
    let request_id = caller.request_id.clone();
    let dialect = DialectId::ChatCompletions;
    let (call, _) = Call::new(dialect, ENDPOINT, caller, request);
    match open(&app, call, upgrade).await {
        Ok(response) => response,
        Err(Refused::Failure(failure)) => respond(&failure, dialect, &request_id),
        Err(Refused::Response(response) | Refused::Done(response)) => *response,
    }
}

async fn open(
    app: &Arc<App>,
    call: Call,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Refused> {
    let request_id = call.caller.request_id.clone();
    let mut settlement = pipeline::begin(app, Arc::new(call)).await?;
    let Ok(upgrade) = upgrade else {
        let response = Box::new(upgrade_required(&request_id));
        return Err(pipeline::refuse(settlement, Refused::Response(response)));
    };
    let kind = kind_of(settlement.known().call.uri());
    let admitted = admit(app, kind, &mut settlement).await;
    let leg = match admitted {
        Ok(leg) => leg,
        Err(failure) => return Err(pipeline::refuse(settlement, failure.into())),
    };
    let bill = Bill::new(app.clone(), kind, settlement);
    let app = app.clone();
    let scope = RequestScope::current();
    let response = upgrade
        .protocols([SUBPROTOCOL])
        .max_message_size(LONGEST_EVENT)
        .max_frame_size(LONGEST_EVENT)
        .on_upgrade(move |socket| {
            let running = app.stop().running().clone();
            running.track_future(scope.around(Relay::new(app, socket, leg, bill).run()))
        });
    Ok(response)
}

/// Checks, chooses, reserves and dials.
async fn admit(
    app: &Arc<App>,
    kind: SessionKind,
    settlement: &mut Settlement,
) -> Result<super::leg::Leg, Failure> {
    let open = settlement.known();
    let offered = open.call.headers().get_all(header::SEC_WEBSOCKET_PROTOCOL);
    let offer = Offer::read(offered.iter().filter_map(|value| value.to_str().ok()));
    if offer.is_beta || asks_for_beta(open.call.headers()) {
        return Err(refuse_beta());
    }
    if query::decoded(open.call.uri(), "call_id").is_some() {
        let text = "A call that a vendor has taken cannot be joined through the gateway.";
        return Err(Failure::unsupported("call_id", text));
    }
    let model = match model_of(open.call.uri()) {
        Some(model) => model.into_owned(),
        None => default_model(app, kind, &open.holder.group)?,
    };
    let mut task = RealtimeTask::next(kind, model);
    let mut route = pipeline::admit(app, &mut task, settlement).await?;
    dial(app, kind, &mut route, settlement).await
}

fn asks_for_beta(headers: &HeaderMap) -> bool {
    let value = headers.get("openai-beta");
    value.is_some_and(|value| value.as_bytes().starts_with(b"realtime="))
}

/// What a session is for: a conversation, unless the client says otherwise.
fn kind_of(uri: &Uri) -> SessionKind {
    let intent = query::decoded(uri, "intent");
    match intent.as_deref() {
        Some("transcription") => SessionKind::Transcription,
        _ => SessionKind::Conversation,
    }
}

fn model_of(uri: &Uri) -> Option<Cow<'_, str>> {
    query::decoded(uri, "model").filter(|model| !model.is_empty())
}

/// The operator's default, or the demo channel's where that is served.
fn default_model(app: &App, kind: SessionKind, group: &str) -> Result<String, Failure> {
    let config = &app.config().realtime;
    let (chosen, demo_model) = match kind {
        SessionKind::Conversation => (&config.default_model, DEMO_MODEL),
        SessionKind::Transcription => (&config.transcription_model, DEMO_TRANSCRIBER),
    };
    if let Some(model) = chosen.clone() {
        return Ok(model);
    }
    let snapshot = app.channels().snapshot();
    let asked = BTreeSet::from([demo_model.to_owned()]);
    let models = snapshot.models(group, &asked);
    if models.contains(&(demo_model, demo::PROVIDER)) {
        return Ok(demo_model.to_owned());
    }
    let text = "`model` is required: this gateway has no default realtime model.";
    Err(Failure::bad_request("model", text))
}
