//! What connections hand requests to.

use std::convert::Infallible;
use std::error::Error;

use hyper::body::Body;
use hyper::service::Service;

use crate::middleware::{Answer, Arrival};

/// A service that answers whatever happens.
pub trait Answering:
    Service<Arrival, Response = Answer<Self::Content>, Error = Infallible, Future: Send + 'static>
    + Send
    + 'static
{
    /// The body of an answer.
    type Content: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static;
}

impl<S, B> Answering for S
where
    S: Service<Arrival, Response = Answer<B>, Error = Infallible> + Send + 'static,
    S::Future: Send + 'static,
    B: Body<Data: Send, Error: Into<Box<dyn Error + Send + Sync>>> + Send + 'static,
{
    type Content = B;
}
