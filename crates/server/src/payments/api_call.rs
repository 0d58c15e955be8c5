//! A request to a payment provider's own interface, and its answer in JSON.

use std::time::Duration;

use http::StatusCode;
use providers::UpstreamRequest;
use providers::transport::{Egress, Timeouts, TlsTrust, TransportError};
use serde_json::Value;

use super::provider::ProviderFailure;
use crate::app::App;

/// Longest answer that is read.
const LONGEST_ANSWER: usize = 1 << 20;
const TIMEOUTS: Timeouts = Timeouts {
    connect: Duration::from_secs(10),
    first_byte: Duration::from_secs(20),
    idle: Duration::from_secs(20),
};
/// A request is sent again after a broken connection, so it must be one that may come twice.
const TRIES: usize = 2;

/// Sends a request, made anew for each try, and reads what comes back.
pub async fn call(
    app: &App,
    request: impl Fn() -> Result<UpstreamRequest, ProviderFailure>,
) -> Result<(StatusCode, Value), ProviderFailure> {
    let unreachable = |cause: &str| ProviderFailure::Unreachable(cause.to_owned());
    let egress = Egress::new(TlsTrust::public(), None, TIMEOUTS);
    let mut tries = 0;
    loop {
        tries += 1;
        let request = request()?;
        let answer = async {
            let reply = app.outbound().send(request, &egress).await?;
            Ok::<_, TransportError>((reply.status, reply.body.collect(LONGEST_ANSWER).await?))
        };
        match answer.await {
            Ok((status, bytes)) => {
                let value = serde_json::from_slice(&bytes)
                    .map_err(|_| unreachable("its answer is not JSON"))?;
                return Ok((status, value));
            }
            Err(TransportError::Closed { .. } | TransportError::Timeout(_)) if tries < TRIES => {}
            Err(error) => return Err(unreachable(&error.to_string())),
        }
    }
}
