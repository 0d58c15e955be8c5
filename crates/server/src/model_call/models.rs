//! The models that a token may use, in the shape of the dialect that asks.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use dialects::DialectId;
use dialects::canonical::{Failure, FailureKind};
use dialects::models::{ListPage, ListedModel, write_list, write_model};
use http::{HeaderMap, Uri};
use providers::Operation;
use store::channels::ChannelState;

use super::call::Call;
use super::error::respond;
use super::{admit, authenticate, query, respond_with};
use crate::app::App;
use crate::area::is_inside;
use crate::channels::{Channel, Route, Snapshot, Wanted};
use crate::config::Unpriced;
use crate::middleware::Caller;
use crate::tokens::Holder;

/// When a model was first seen is not recorded; clients want a date all the same.
const CREATED: u64 = 1_767_225_600;
const CREATED_AT: &str = "2026-01-01T00:00:00Z";

/// `GET /v1/models` and `GET /v1beta/models`.
pub async fn list(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    request: Request,
) -> Response {
    let dialect = shape(request.uri(), request.headers());
    let page = page(request.uri());
    let request_id = caller.request_id.clone();
    match visible(&app, dialect, caller, (request, None)).await {
        Ok(models) => respond_with::json(write_list(dialect, &models, &page)),
        Err(failure) => respond(&failure, dialect, &request_id),
    }
}

/// `GET /v1/models/{model}` and `GET /v1beta/models/{model}`.
pub async fn one(
    State(app): State<Arc<App>>,
    Extension(caller): Extension<Caller>,
    Path(name): Path<String>,
    request: Request,
) -> Response {
    let dialect = shape(request.uri(), request.headers());
    let request_id = caller.request_id.clone();
    let found = visible(&app, dialect, caller, (request, Some(&name)))
        .await
        .and_then(|models| {
            let model = models.into_iter().find(|model| model.id == name);
            model.ok_or_else(|| {
                let text = format!("The model `{name}` does not exist.");
                let missing = Failure::new(FailureKind::ModelNotFound, text);
                Failure {
                    param: Some("model".to_owned()),
                    ..missing
                }
            })
        });
    match found {
        Ok(model) => respond_with::json(write_model(dialect, &model)),
        Err(failure) => respond(&failure, dialect, &request_id),
    }
}

/// The shape that the caller's dialect expects: a version header is messages', a key in Google's
/// places or path is generate content's.
fn shape(uri: &Uri, headers: &HeaderMap) -> DialectId {
    let has = |name: &str| headers.contains_key(name);
    let in_query = query::field(uri, "key").is_some();
    if has("anthropic-version") || has("provider-version") {
        DialectId::Messages
    } else if is_inside(uri.path(), "/v1beta") || has("x-goog-api-key") || in_query {
        DialectId::GenerateContent
    } else {
        DialectId::ChatCompletions
    }
}

fn page(uri: &Uri) -> ListPage {
    // Cursors are ids of models, and those have slashes and colons.
    let of = |key: &str| query::decoded(uri, key).map(Cow::into_owned);
    let limit = of("limit").or_else(|| of("pageSize"));
    ListPage {
        limit: limit.and_then(|limit| limit.parse().ok()),
        after: of("after_id").or_else(|| of("pageToken")),
        before: of("before_id"),
    }
}

/// What the caller sees. Where one name is asked for, it need not be known to the list: a pattern serves whatever
/// begins so.
async fn visible(
    app: &Arc<App>,
    dialect: DialectId,
    caller: Caller,
    (request, name): (Request, Option<&str>),
) -> Result<Vec<ListedModel>, Failure> {
    let (call, _) = Call::new(dialect, "/v1/models", caller, request);
    let holder = authenticate::holder(app, &call, call.caller.at_ms).await?;
    admit::check_rights(&holder, &call)?;
    let (snapshot, group) = (app.channels().snapshot(), &*holder.group);
    let payable = Payable::at(app, &snapshot, &holder, call.caller.at_ms);
    let others = match name {
        Some(name) => BTreeSet::from([name.to_owned()]),
        None => snapshot.priced_by_pattern(&app.prices().book(), call.caller.at_ms),
    };
    let models = match holder.channel() {
        Some(only) => snapshot.models_through(only, &others),
        None => snapshot.models(group, &others),
    };
    Ok(models
        .into_iter()
        .filter(|(model, _)| holder.may_use(model) && payable.has(model))
        .map(|(id, provider)| {
            let (generates, embeds) = purposes(app, id, &holder);
            ListedModel {
                id: id.to_owned(),
                owned_by: provider.to_owned(),
                created: CREATED,
                created_at: CREATED_AT.to_owned(),
                max_input: None,
                max_output: None,
                generates,
                embeds,
            }
        })
        .collect())
}

/// The models that calls are not refused for want of a price.
struct Payable<'a> {
    app: &'a App,
    serving: Vec<&'a Arc<Channel>>,
    needs_price: bool,
    now_ms: i64,
}

impl<'a> Payable<'a> {
    fn at(app: &'a App, snapshot: &'a Snapshot, holder: &Holder, now_ms: i64) -> Self {
        let serves = |channel: &&Arc<Channel>| match holder.channel() {
            Some(only) => channel.id == only,
            None => channel.state != ChannelState::Off && channel.serves(&holder.group),
        };
        Self {
            app,
            serving: snapshot.channels().filter(serves).collect(),
            needs_price: app.config().billing.unpriced == Unpriced::Refuse,
            now_ms,
        }
    }

    /// Most models have a price under their own name. Channels are looked through only for the
    /// others, by what the upstreams call them.
    fn has(&self, model: &str) -> bool {
        let book = self.app.prices().book();
        let is_priced = |upstream: Option<&str>| {
            let sheet = book.find_sheet(model, upstream, self.now_ms);
            sheet.is_some()
        };
        let channels = self.serving.iter();
        let mut upstreams = channels.filter_map(|channel| channel.upstream_model(model));
        !self.needs_price || is_priced(None) || upstreams.any(|name| is_priced(Some(&name)))
    }
}

/// Whether a model writes text, and whether it makes vectors. Many vendors' channels offer both
/// for any name; then the name tells.
fn purposes(app: &App, model: &str, holder: &Holder) -> (bool, bool) {
    let is_offered = |operation| {
        let wanted = Wanted {
            model,
            group: &holder.group,
            operation,
            tokens: 0,
            only: holder.channel(),
        };
        Route::begin(app.channels(), wanted).is_ok()
    };
    let generates = is_offered(Operation::Generate) && !model.contains("embed");
    (generates, !generates && is_offered(Operation::Embed))
}
