//! Opens a connection step by step and lets it go again, for whoever wants to know which step fails.
//! Calls do not come this way.

use std::future::Future;
use std::time::{Duration, Instant};

use super::dial::{Dialler, connect_first};
use super::egress::Egress;
use super::error::{Phase, TransportError};
use super::outbound::Outbound;
use super::wire::Wire;
use crate::{Origin, Scheme};

/// A step on the way to a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProbeStep {
    /// The name becomes addresses that the guard lets through.
    Resolve,
    /// An address, or the proxy, takes the connection.
    Connect,
    /// The secure channel is made.
    Tls,
}

/// How a step went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probed {
    /// Which one.
    pub step: ProbeStep,
    /// How long it took.
    pub took: Duration,
    /// Whether there was something to do: no secure channel is made where none is asked for.
    pub is_done: bool,
}

/// A step that failed; those after it were not tried.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct ProbeFailure {
    /// Which one.
    pub step: ProbeStep,
    /// Why.
    pub error: TransportError,
}

impl Outbound {
    /// Opens a connection to an origin and closes it. `tell` hears of each step that went well.
    pub async fn probe(
        &self,
        origin: &Origin,
        egress: &Egress,
        tell: &mut (dyn FnMut(Probed) + Send),
    ) -> Result<(), ProbeFailure> {
        let dialler = Dialler {
            guard: self.guard(),
            resolver: self.resolver(),
            egress,
        };
        let first = egress.proxy.as_ref().map_or(origin, |proxy| &proxy.origin);
        let resolving = async {
            let addresses = dialler.addresses(first).await?;
            let targets = match egress.proxy {
                Some(_) => Some(dialler.tunnel_targets(origin).await?),
                None => None,
            };
            Ok((addresses, targets))
        };
        let (addresses, targets) = in_time(ProbeStep::Resolve, egress, tell, resolving).await?;
        let connecting = async {
            if let Some(targets) = targets {
                return dialler.dial_tunnel(&addresses, targets).await;
            }
            let stream = connect_first(addresses).await;
            let stream = stream.map_err(|error| TransportError::Connect(error.kind()))?;
            Ok(Wire::Plain(stream))
        };
        let wire = in_time(ProbeStep::Connect, egress, tell, connecting).await?;
        if origin.scheme == Scheme::Http {
            tell(Probed {
                step: ProbeStep::Tls,
                took: Duration::ZERO,
                is_done: false,
            });
            return Ok(());
        }
        let securing = egress.trust.connect(wire, &origin.host, true);
        in_time(ProbeStep::Tls, egress, tell, securing)
            .await
            .map(|_| ())
    }
}

async fn in_time<T>(
    step: ProbeStep,
    egress: &Egress,
    tell: &mut (dyn FnMut(Probed) + Send),
    work: impl Future<Output = Result<T, TransportError>>,
) -> Result<T, ProbeFailure> {
    let began = Instant::now();
    let done = tokio::time::timeout(egress.timeouts.connect, work).await;
    let done = done.unwrap_or(Err(TransportError::Timeout(Phase::Connect)));
    let value = done.map_err(|error| ProbeFailure { step, error })?;
    tell(Probed {
        step,
        took: began.elapsed(),
        is_done: true,
    });
    Ok(value)
}
