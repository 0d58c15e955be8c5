//! HTTP/1.1 as nearly every call speaks it: a short request that comes in one piece or two, its answer, the next request.
//! Whatever else the protocol has (long bodies and bodies in chunks, upgrades, expectations, old versions, mistakes) is
//! left to the HTTP library, with all that has come and is not answered. That one does much for each request that
//! these do not need.

mod answer;
mod connection;
mod head;
mod remembered;
mod rewound;

pub(super) use connection::Connection;
pub(super) use head::Bounds;
pub(super) use rewound::Rewound;
