//! Pictures, documents and sounds that an upstream does not fetch itself are fetched for it. What cannot be fetched keeps
//! its address: the upstream's dialect says whether it can be sent so, and the vendor decides.

use dialects::UpstreamDialect;
use dialects::canonical::{Failure, Request};
use dialects::passes::{MOST_ADDRESSES, supply};

use crate::app::App;
use crate::model_call::fetch::{Room, fetch_all};

/// Puts what the addresses of a request hold in their place, as far as the upstream's dialect
/// needs that. Says whether there were any.
pub async fn inline(
    app: &App,
    request: &mut Request,
    upstream: &dyn UpstreamDialect,
) -> Result<bool, Failure> {
    let addresses = upstream.urls_to_fetch(request);
    if addresses.is_empty() {
        return Ok(false);
    }
    if addresses.len() > MOST_ADDRESSES {
        let text = format!("More than {MOST_ADDRESSES} addresses cannot be fetched for one call.");
        return Err(Failure::bad_request("url", text));
    }
    let fetched = fetch_all(app, addresses.iter().map(|address| address.url.as_str())).await;
    let mut room = Room::new();
    for (address, content) in addresses.iter().zip(fetched) {
        match content {
            Ok(content) => {
                let taken = room.take(&content, address.uses);
                taken.map_err(|text| Failure::bad_request("url", text))?;
                supply(request, &address.url, &content);
            }
            Err(why) => tracing::debug!(why, "an address in a request was not fetched"),
        }
    }
    Ok(true)
}
