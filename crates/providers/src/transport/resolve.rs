//! Names to addresses. A trait, so that tests can have names of their own.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;

/// The addresses of a name, some time later.
pub type Resolved<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send + 'a>>;

/// Finds a name's addresses.
pub trait Resolve: Send + Sync {
    /// The addresses, the best first.
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolved<'a>;
}

/// Asks the system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str, port: u16) -> Resolved<'a> {
        Box::pin(async move { Ok(tokio::net::lookup_host((host, port)).await?.collect()) })
    }
}
