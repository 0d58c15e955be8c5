//! How many tokens a request is: told by an upstream that counts in the client's own dialect, else
//! counted here. It costs nothing.

use std::sync::Arc;

use axum::body::Body;
use billing::pricing::Bounds;
use billing::tokens;
use bytes::Bytes;
use dialects::canonical::{Failure, FailureKind, Request};
use dialects::convert::dialect;
use dialects::scan::{Scan, scan_count};
use dialects::{DialectId, generate_content, messages, responses};
use futures_util::future::BoxFuture;
use providers::{Format, Operation, RequestBody};

use super::body::json_body;
use super::call::Call;
use super::headers::{passing, passing_query};
use super::pipeline::Refused;
use super::task::{Addressee, Outgoing, Task, Used};
use super::whole_answer::{Reading, WholeAnswer};
use crate::app::App;
use crate::channels::Destination;

/// The longest answer to a count.
const LONGEST: usize = 64 * 1024;

/// Reads a call that asks for a count.
pub fn read<'a>(
    app: &'a Arc<App>,
    call: &'a Call,
    body: Body,
) -> BoxFuture<'a, Result<Box<dyn Task>, Refused>> {
    Box::pin(async move {
        let body = json_body(app, call, body).await?;
        let scan = scan_count(call.dialect, &body)?.into_owned();
        let request = match call.dialect {
            DialectId::Messages => messages::count::read_request(&body)?,
            DialectId::GenerateContent => generate_content::read_count_request(&body, &call.path)?,
            other => dialect(other).read_request(&body, &call.path)?,
        };
        if request.model.is_empty() {
            return Err(Failure::bad_request("model", "`model` is required.").into());
        }
        let task: Box<dyn Task> = Box::new(CountTask {
            client: call.dialect,
            scan,
            body,
            request,
        });
        Ok(task)
    })
}

/// A request to be counted.
struct CountTask {
    client: DialectId,
    scan: Scan<'static>,
    body: Bytes,
    request: Request,
}

impl CountTask {
    async fn count(&self) -> u64 {
        if !tokens::must_leave_thread(self.body.len()) {
            return tokens::count_request(&self.request);
        }
        let request = self.request.clone();
        let counted = tokio::task::spawn_blocking(move || tokens::count_request(&request));
        let bound = self.body.len() as u64;
        counted.await.unwrap_or_else(|_| tokens::approximate(bound))
    }
}

impl Task for CountTask {
    fn operation(&self) -> Operation {
        Operation::CountTokens
    }

    fn model(&self) -> &str {
        &self.request.model
    }

    fn bounds(&self) -> Option<Bounds> {
        None
    }

    fn estimated_tokens(&self) -> u64 {
        0
    }

    fn answer_instead<'a>(&'a mut self, failure: &Failure) -> BoxFuture<'a, Option<Bytes>> {
        let is_ours = matches!(
            failure.kind,
            FailureKind::Unsupported
                | FailureKind::UpstreamBad
                | FailureKind::Overloaded
                | FailureKind::RateLimited
                | FailureKind::Timeout
        );
        Box::pin(async move {
            if !is_ours {
                return None;
            }
            let counted = self.count().await;
            Some(Bytes::from(match self.client {
                DialectId::GenerateContent => generate_content::write_count(counted),
                DialectId::Responses => responses::write_count(counted),
                _ => messages::count::write_answer(counted),
            }))
        })
    }

    fn write<'a>(&'a mut self, to: Addressee<'a>) -> BoxFuture<'a, Result<Outgoing, Failure>> {
        Box::pin(async move {
            let own = Format::Text(self.client);
            if !to.formats.contains(&own) {
                let text = "The upstream does not count in this format.";
                return Err(Failure::unsupported("model", text));
            }
            let is_demo = matches!(to.place.destination(), Destination::Demo(_));
            let body = self
                .scan
                .forward(&self.body, &to.place.upstream_model, false);
            Ok(Outgoing {
                format: own,
                is_stream: false,
                headers: passing(to.call, Some(self.client), is_demo),
                query: passing_query(to.call, Some(self.client)),
                body: RequestBody::Whole(body.into()),
                dropped: Vec::new(),
                answer: Box::new(WholeAnswer::json(Count(self.client))),
            })
        })
    }
}

/// An upstream's own count, which goes through as it is where it is written as clients of this dialect know it.
struct Count(DialectId);

impl Reading for Count {
    fn longest(&self) -> usize {
        LONGEST
    }

    fn read(&mut self, body: Bytes) -> Result<(Bytes, Used), Failure> {
        let respelled = match self.0 {
            DialectId::Messages => messages::count::respelled(&body),
            _ => None,
        };
        Ok((respelled.map_or(body, Bytes::from), Used::default()))
    }
}
