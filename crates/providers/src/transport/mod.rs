//! The way out: name resolution under a guard, TLS, proxies, pooled connections, deadlines, and
//! answers that stream. Knows no vendor and no dialect.

mod body;
mod dial;
mod egress;
mod error;
pub mod event_stream;
mod guard;
mod http1;
pub mod http1_text;
mod http2;
mod message;
mod out_body;
mod outbound;
mod outbox;
mod pool;
mod probe;
mod proxy;
mod resolve;
mod socket;
mod tls;
mod watchdog;
mod websocket;
mod wire;

pub use body::UpstreamBody;
pub use egress::{Egress, Timeouts};
pub use error::{Phase, TransportError};
pub use guard::{Forbidden, Guard};
pub use outbound::{Outbound, UpstreamReply};
pub use outbox::gather_writes;
pub use pool::PoolSettings;
pub use probe::{ProbeFailure, ProbeStep, Probed};
pub use proxy::{BadProxy, Proxy};
pub use resolve::{Resolve, Resolved, SystemResolver};
pub use socket::Socket;
pub use tls::{BadRoots, TlsTrust};
pub use websocket::{WebSocket, WebSocketError};
pub use wire::Wire;
