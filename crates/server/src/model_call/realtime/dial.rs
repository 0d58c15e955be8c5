//! Opens the upstream's side of a conversation, on one channel after the other.

use std::time::Duration;

use bytes::Bytes;
use dialects::canonical::Failure;
use dialects::ids;
use dialects::realtime::SessionKind;
use http::HeaderMap;
use providers::{Call, Format, Headers, RequestBody, Retry, UpstreamFailure};

use super::leg::Leg;
use super::task::operation;
use crate::app::App;
use crate::channels::{Destination, Place, Route};
use crate::clock;
use crate::demo::realtime::Session;
use crate::model_call::attempt::has_attempts_left;
use crate::model_call::headers::passing;
use crate::model_call::settle::Settlement;
use crate::model_call::tried::{self, Try};

/// The status of an upgrade.
const SWITCHED: u16 = 101;

/// Dials until there is a conversation, or nothing is left to try. The first place is chosen already.
pub async fn dial(
    app: &App,
    kind: SessionKind,
    route: &mut Route,
    settlement: &mut Settlement,
) -> Result<Leg, Failure> {
    loop {
        let mut this = Try::begin();
        let failed = match open(app, kind, settlement, &mut this.connecting).await {
            Ok(leg) => {
                let first_byte = clock::since(this.begun);
                tried::succeeded(settlement, &this, first_byte, SWITCHED);
                return Ok(leg);
            }
            Err(failed) => failed,
        };
        tried::failed(settlement, &this, &failed);
        if matches!(failed.retry, Retry::Never | Retry::OtherModel)
            || !has_attempts_left(app, settlement)
        {
            return Err(*failed.failure);
        }
        match route.next(app.clock().now_ms()) {
            Ok(place) => settlement.move_to(place),
            // What the last channel said is more telling than that there is no other.
            Err(_) => return Err(*failed.failure),
        }
    }
}

async fn open(
    app: &App,
    kind: SessionKind,
    settlement: &Settlement,
    connecting: &mut Option<Duration>,
) -> Result<Leg, UpstreamFailure> {
    let open = settlement.known();
    let no_place = || UpstreamFailure::gateway("the channel does not offer this operation");
    let place = open.place.as_ref().ok_or_else(no_place)?;
    if !place.formats(operation(kind)).contains(&Format::Common) {
        return Err(no_place());
    }
    match place.destination() {
        Destination::Demo(switches) => {
            let headers = passing(&open.call, place, None);
            let switches = switches
                .for_call(&headers)
                .map_err(|bad| UpstreamFailure::gateway(&bad.to_string()))?;
            if let Some(status) = switches.status.filter(|status| *status >= 400) {
                return Err(refused(app, status));
            }
            if !switches.delay_first_byte.is_zero() {
                tokio::time::sleep(switches.delay_first_byte).await;
            }
            let seed = ids::hash(&[&open.call.caller.request_id], 16);
            let session = Session::open(kind, &place.upstream_model, &seed, &switches);
            Ok(Leg::Demo(Box::new(session)))
        }
        Destination::Vendor { .. } => open_vendor(app, kind, place, connecting).await,
    }
}

async fn open_vendor(
    app: &App,
    kind: SessionKind,
    place: &Place,
    connecting: &mut Option<Duration>,
) -> Result<Leg, UpstreamFailure> {
    let Destination::Vendor { upstream, egress } = place.destination() else {
        return Err(UpstreamFailure::gateway("the channel has no vendor"));
    };
    let call = Call::new(operation(kind), Format::Common, &place.upstream_model);
    let empty = RequestBody::Whole(Bytes::new());
    let mut request = upstream.request(&call, Headers::default(), empty)?;
    // A handshake has headers alone. Before the signature, which is never overridden.
    place.channel.overrides.change_headers(&mut request.headers);
    let (outbound, now) = (app.outbound(), app.clock().now());
    app.signer()
        .sign(&mut request, upstream, &outbound, egress, || now)
        .await?;
    let socket = outbound
        .open_websocket(request, egress, connecting)
        .await
        .map_err(|error| UpstreamFailure::from_websocket(&error, now))?;
    Ok(Leg::Vendor(Box::new(socket)))
}

fn refused(app: &App, status: u16) -> UpstreamFailure {
    let status = http::StatusCode::from_u16(status).unwrap_or(http::StatusCode::BAD_GATEWAY);
    let body = br#"{"error":{"message":"The demo channel was told to fail."}}"#;
    UpstreamFailure::from_reply(status, &HeaderMap::new(), body, app.clock().now())
}
