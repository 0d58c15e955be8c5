//! One request out: to a vendor, signed and through the channel's own way out, or to the demo
//! channel inside this process.

use std::time::Duration;

use bytes::Bytes;
use http::uri::PathAndQuery;
use indexmap::IndexMap;
use providers::{
    Call, Format, Headers, Operation, RequestBody, UpstreamFailure, UpstreamReply, UpstreamRequest,
};
use serde_json::value::{RawValue, to_raw_value};

use crate::app::App;
use crate::channels::{Destination, Overrides, Place};
use crate::demo;

/// What is sent.
pub struct Message {
    /// What is asked for.
    pub operation: Operation,
    /// The format of the body.
    pub format: Format,
    /// Whether a stream is asked for.
    pub is_stream: bool,
    /// Headers that pass.
    pub headers: Headers,
    /// What of the query passes.
    pub query: Option<&'static str>,
    /// The body.
    pub body: RequestBody,
}

/// Sends it there, and waits for the answer's head. `connecting` learns how long a new connection took.
pub fn send<'a>(
    app: &'a App,
    place: &'a Place,
    message: Message,
    connecting: &'a mut Option<Duration>,
) -> impl Future<Output = Result<UpstreamReply, UpstreamFailure>> + 'a {
    let way = (place.destination(), &place.channel.overrides);
    send_to(app, way, &place.upstream_model, message, connecting)
}

/// The same without a place: nobody's limits count it, and no health hears of it.
pub async fn send_to(
    app: &App,
    (destination, overrides): (&Destination, &Overrides),
    upstream_model: &str,
    message: Message,
    connecting: &mut Option<Duration>,
) -> Result<UpstreamReply, UpstreamFailure> {
    let call =
        Call::new(message.operation, message.format, upstream_model).streamed(message.is_stream);
    let (upstream, egress) = match destination {
        Destination::Demo(switches) => {
            let body = changed_body(message.body, overrides)?;
            return Box::pin(demo::serve(&call, switches, &message.headers, body)).await;
        }
        Destination::Vendor { upstream, egress } => (upstream, egress),
    };
    let mut request = upstream.request(&call, message.headers, message.body)?;
    add_query(&mut request, message.query);
    change(&mut request, overrides)?;
    let outbound = app.outbound();
    let now = || app.clock().now();
    let signer = app.signer();
    signer
        .sign(&mut request, upstream, &outbound, egress, now)
        .await?;
    Ok(outbound.send_timed(request, egress, connecting).await?)
}

fn add_query(request: &mut UpstreamRequest, query: Option<&'static str>) {
    let Some(query) = query else { return };
    let path = &request.target.path;
    let sign = if path.query().is_some() { '&' } else { '?' };
    if let Ok(longer) = PathAndQuery::try_from(format!("{path}{sign}{query}")) {
        request.target.path = longer;
    }
}

/// What the channel changes in every request. Before the signature: that is never overridden.
fn change(request: &mut UpstreamRequest, overrides: &Overrides) -> Result<(), UpstreamFailure> {
    overrides.change_headers(&mut request.headers);
    if overrides.changes_body() {
        let empty = RequestBody::Whole(Bytes::new());
        let body = std::mem::replace(&mut request.body, empty);
        request.body = changed_body(body, overrides)?;
    }
    Ok(())
}

/// The body with the channel's fields; one that streams through is no JSON and stays as it is.
fn changed_body(body: RequestBody, overrides: &Overrides) -> Result<RequestBody, UpstreamFailure> {
    let RequestBody::Whole(bytes) = body else {
        return Ok(body);
    };
    if !overrides.changes_body() {
        return Ok(RequestBody::Whole(bytes));
    }
    let unusable = |_| UpstreamFailure::gateway("the channel's overrides need a JSON object");
    // Values are kept as text: no number changes its spelling.
    let mut fields: IndexMap<String, Box<RawValue>> =
        serde_json::from_slice(&bytes).map_err(unusable)?;
    for name in &overrides.drop_fields {
        fields.shift_remove(name);
    }
    for (name, value) in &overrides.set_fields {
        fields.insert(name.clone(), to_raw_value(value).map_err(unusable)?);
    }
    let bytes = serde_json::to_vec(&fields).map_err(unusable)?;
    Ok(RequestBody::Whole(bytes.into()))
}
