//! One model call, phase by phase. Every endpoint comes here with what is particular to it: how its
//! body is read. Reading [`run`] is reading what happens to a call.

use std::sync::Arc;

use axum::body::Body;
use axum::response::Response;
use dialects::DialectId;
use dialects::canonical::Failure;
use futures_util::future::BoxFuture;
use http::{HeaderName, HeaderValue};

use super::call::Call;
use super::error::{cause, respond};
use super::one_try::Answered;
use super::settle::{Ending, Settlement};
use super::task::Task;
use super::{admit, attempt, authenticate, large_body, respond_with};
use crate::app::App;
use crate::channels::{NoChannel, Route, Wanted};
use crate::clock;
use crate::limits;
use crate::middleware::Answer;

/// Reads the body of a call.
pub type Reader =
    for<'a> fn(&'a Arc<App>, &'a Call, Body) -> BoxFuture<'a, Result<Box<dyn Task>, Refused>>;

/// Why a call ends early.
pub enum Refused {
    /// A failure, to be told in the caller's own dialect.
    Failure(Failure),
    /// A refusal that is already written.
    Response(Box<Response>),
    /// No refusal: the call is answered, and somebody else settles what it asks for.
    Done(Box<Response>),
}

impl From<Failure> for Refused {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// Runs a call; whatever goes wrong is told in the caller's own dialect.
pub async fn run(app: &Arc<App>, call: Arc<Call>, body: Body, read: Reader) -> Answer {
    let (dialect, request_id) = (call.dialect, call.caller.request_id.clone());
    let mut answer = match answer(app, call, body, read).await {
        Ok(answer) => answer,
        Err(Refused::Failure(failure)) => respond(&failure, dialect, &request_id).into(),
        Err(Refused::Response(response) | Refused::Done(response)) => (*response).into(),
    };
    if dialect == DialectId::Messages
        && let Ok(value) = HeaderValue::from_str(&request_id)
    {
        let name = HeaderName::from_static("request-id");
        answer.response.headers_mut().insert(name, value);
    }
    answer
}

async fn answer(
    app: &Arc<App>,
    call: Arc<Call>,
    body: Body,
    read: Reader,
) -> Result<Answer, Refused> {
    // 1. Authenticate; from here on the call is in the log, however it ends.
    let mut settlement = begin(app, call).await?;
    let call = Arc::clone(&settlement.known().call);
    // 2. Read.
    let read = if large_body::is_small(&call, &body) {
        read(app, &call, body)
    } else {
        let user = settlement.known().holder.user_id;
        Box::pin(large_body::read(app, &call, body, read, user))
    };
    let mut task = match read.await {
        Ok(task) => task,
        Err(refused) => return Err(refuse(settlement, refused)),
    };
    let served = serve(app, task.as_mut(), &mut settlement).await;
    match served {
        // 6. Relay; its end settles the call.
        Ok(answered) => respond_with::answer(answered, settlement).await,
        Err(failure) => match task.answer_instead(&failure).await {
            Some(body) => Ok(respond_with::ours(body, settlement).into()),
            None => Ok(respond_with::failure(failure, settlement)),
        },
    }
}

/// Authenticates a call and checks what the token may do at all.
pub async fn begin(app: &Arc<App>, mut call: Arc<Call>) -> Result<Settlement, Refused> {
    let began = clock::instant();
    let holder = authenticate::holder(app, &call, call.caller.at_ms)
        .await
        .inspect_err(|failure| app.call_ends().add(cause(failure.kind)))?;
    let tracer = app.tracer();
    // Nobody else has it yet, so that nothing is copied.
    let known = Arc::make_mut(&mut call);
    known.holder = Some(Arc::clone(&holder));
    known.trace = tracer.and_then(|tracer| tracer.begin(known.headers(), app.randomness()));
    let settlement = Settlement::open(app.clone(), call, holder, began);
    let open = settlement.known();
    match admit::check_rights(&open.holder, &open.call) {
        Ok(()) => Ok(settlement),
        Err(failure) => Err(refuse(settlement, failure.into())),
    }
}

async fn serve(
    app: &Arc<App>,
    task: &mut dyn Task,
    settlement: &mut Settlement,
) -> Result<Answered, Failure> {
    // 3. Choose a channel. 4. Admit.
    let mut route = admit(app, task, settlement).await?;
    // 5. Attempt, until there is an answer.
    attempt::run(app, task, &mut route, settlement).await
}

/// Chooses a channel and admits the call to it: rights to the model, limits, price, reservation.
pub async fn admit(
    app: &Arc<App>,
    task: &mut dyn Task,
    settlement: &mut Settlement,
) -> Result<Route, Failure> {
    let model = task.model();
    let open = settlement.known_mut();
    open.model = String::from(model);
    open.is_stream = task.is_stream();
    let wanted = Wanted {
        model,
        group: &open.holder.group,
        operation: task.operation(),
        tokens: task.estimated_tokens(),
        only: open.holder.channel(),
    };
    let unserved = |reason: NoChannel| reason.failure(model);
    let begun = Route::begin(app.channels(), wanted);
    let is_unserved = |reason: &NoChannel| {
        use NoChannel::{NotForGroup, NotOnChannel, UnknownModel};
        matches!(reason, UnknownModel | NotForGroup | NotOnChannel)
    };
    if !begun.as_ref().is_err_and(is_unserved) {
        admit::check_model(&open.holder, model)?;
    }
    let mut route = begun.map_err(unserved)?.keeping_to(|| task.affinity());
    // One look at the clock: nothing in here but limits on Redis ever waits.
    let now_ms = app.clock().now_ms();
    match limits::admit(app, &open.holder, wanted.tokens, now_ms).await {
        Ok(admitted) => open.limits = admitted,
        Err(limited) => {
            open.limits = limited.shown;
            return Err(limited.failure);
        }
    }
    app.channels().retries().call_began();
    let place = route.next(now_ms).map_err(unserved)?;
    settlement.move_to(place);
    admit::reserve(app, task, settlement, now_ms).await?;
    Ok(route)
}

/// Settles a call that is refused: it costs nothing.
pub fn refuse(settlement: Settlement, refused: Refused) -> Refused {
    let failure = match &refused {
        Refused::Failure(failure) => failure.clone(),
        Refused::Response(response) => super::error::of_response(response.status()),
        Refused::Done(_) => {
            settlement.forget();
            return refused;
        }
    };
    // A refusal does not wait for its log row.
    drop(settlement.end(&Ending::Failed(failure)));
    refused
}
