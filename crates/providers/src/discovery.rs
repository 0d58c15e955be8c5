//! Asks an upstream which models it has, page after page.

use jiff::Timestamp;

use crate::transport::{Egress, Outbound};
use crate::{
    BaseUrl, Call, Format, Headers, ModelPage, Operation, RequestBody, Signer, Upstream,
    UpstreamFailure, UpstreamRequest,
};

/// No vendor has more pages; a list that goes round in circles ends here.
const MOST_PAGES: usize = 100;
/// The longest page.
const LONGEST_PAGE: usize = 16 * 1024 * 1024;

/// The names of all models that the upstream lists, in its order. None: it has no list.
pub async fn fetch_models(
    upstream: &Upstream,
    signer: &Signer,
    outbound: &Outbound,
    egress: &Egress,
    now: Timestamp,
) -> Result<Option<Vec<String>>, UpstreamFailure> {
    let Some(format) = upstream.provider.formats(Operation::ListModels, "").first() else {
        return Ok(None);
    };
    let elsewhere = listing_upstream(upstream)?;
    let upstream = elsewhere.as_ref().unwrap_or(upstream);
    let mut models = Vec::new();
    let mut cursor = None;
    for _ in 0..MOST_PAGES {
        let request = page_request(upstream, *format, cursor.as_deref())?;
        let page = fetch_page(request, upstream, signer, outbound, egress, now).await?;
        models.extend(page.models);
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    Ok(Some(models))
}

/// The same vendor's other host, where that one keeps the list.
fn listing_upstream(upstream: &Upstream) -> Result<Option<Upstream>, UpstreamFailure> {
    let Some(address) = upstream.provider.list_base_url(&upstream.base) else {
        return Ok(None);
    };
    let base = BaseUrl::parse(&address);
    let base = base.map_err(|error| UpstreamFailure::gateway(&error.to_string()))?;
    let credential = upstream.credential.pinned_to(base.origin().clone());
    Ok(Some(Upstream::new(upstream.provider, base, credential)))
}

fn page_request(
    upstream: &Upstream,
    format: Format,
    cursor: Option<&str>,
) -> Result<UpstreamRequest, UpstreamFailure> {
    let call = Call {
        cursor,
        ..Call::new(Operation::ListModels, format, "")
    };
    let body = RequestBody::Whole(bytes::Bytes::new());
    let request = upstream.request(&call, Headers::default(), body);
    request.map_err(|error| UpstreamFailure::gateway(&error.to_string()))
}

async fn fetch_page(
    mut request: UpstreamRequest,
    upstream: &Upstream,
    signer: &Signer,
    outbound: &Outbound,
    egress: &Egress,
    now: Timestamp,
) -> Result<ModelPage, UpstreamFailure> {
    signer
        .sign(&mut request, upstream, outbound, egress, || now)
        .await?;
    let reply = outbound.send(request, egress).await?;
    let (status, headers) = (reply.status, reply.headers);
    let body = reply.body.collect(LONGEST_PAGE).await?;
    if !status.is_success() {
        return Err(UpstreamFailure::from_reply(status, &headers, &body, now));
    }
    ModelPage::read(&body).map_err(|error| UpstreamFailure::unusable(&error.to_string()))
}
