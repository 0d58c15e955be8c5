//! The network side: sockets, worker threads, connections, TLS and the orderly stop. It serves
//! any hyper service and knows nothing of routes.

mod answering;
mod connection;
mod http1;
mod idle_timer;
mod library;
mod own_wakes;
mod patient;
mod request_check;
mod sockets;
mod stop;
mod threads;
mod tls;
mod workers;

pub use connection::ConnectionSettings;
pub use own_wakes::HeldWakes;
pub use sockets::{Sockets, bind};
pub use stop::Stop;
pub use threads::{Threads, yield_to_workers};
pub use tls::{TlsError, load_tls};
pub use workers::Workers;
