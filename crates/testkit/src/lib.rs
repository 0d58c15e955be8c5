#![doc = include_str!("../README.md")]

mod clock;
mod connection;
mod gate;
mod head;
mod journal;
mod proxy;
mod recorded_traffic;
mod refused;
mod reply;
mod request;
mod script;
mod upstream;

pub use clock::FrozenClock;
pub use gate::Gate;
pub use journal::Ending;
pub use proxy::{Proxy, Traffic};
pub use recorded_traffic::RecordedTraffic;
pub use refused::RefusedAddress;
pub use reply::Reply;
pub use request::RecordedRequest;
pub use upstream::FakeUpstream;
