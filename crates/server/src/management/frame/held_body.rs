//! Response bodies of unknown length: each ends as soon as the credential that asked for it stops working, also
//! while it sends nothing.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use bytes::Bytes;
use http::header;
use hyper::body::{Body as HttpBody, Frame};

use super::access::Identity;
use crate::app::App;

const EVERY: Duration = Duration::from_secs(1);

/// A body that lasts no longer than its credential.
struct HeldBody {
    body: Body,
    ended: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    /// Events may end at any time. Files may not: nobody must take a part for the whole.
    is_events: bool,
}

/// Holds a streamed response to the credential of its request.
pub(super) fn hold(app: &Arc<App>, identity: &Identity, response: Response) -> Response {
    if HttpBody::size_hint(response.body()).exact().is_some() {
        return response;
    }
    let media = response.headers().get(header::CONTENT_TYPE);
    let is_events = media.is_some_and(|media| media.as_bytes().starts_with(b"text/event-stream"));
    let ended = end_of(Arc::clone(app), identity.clone());
    response.map(|body| {
        Body::new(HeldBody {
            body,
            ended: Some(Box::pin(ended)),
            is_events,
        })
    })
}

/// Waits until a credential stops working. If the database cannot say, it counts on.
async fn end_of(app: Arc<App>, identity: Identity) {
    loop {
        tokio::time::sleep(EVERY).await;
        if matches!(identity.still_counts(&app).await, Ok(false)) {
            return;
        }
    }
}

impl HttpBody for HeldBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        let Some(ended) = &mut this.ended else {
            return Poll::Ready(None);
        };
        if ended.as_mut().poll(context).is_ready() {
            this.ended = None;
            this.body = Body::empty();
            let error = axum::Error::new("the credential of this request has ended");
            return Poll::Ready((!this.is_events).then_some(Err(error)));
        }
        Pin::new(&mut this.body).poll_frame(context)
    }
}
