//! How many tokens a request is: told by an upstream's own counter, in the client's dialect or another one, else counted
//! here. It costs nothing.

use std::sync::Arc;

use axum::body::Body;
use billing::pricing::Bounds;
use billing::tokens;
use bytes::Bytes;
use dialects::canonical::{Failure, FailureKind, Request};
use dialects::convert::{convert_request_to, dialect, upstream_dialect};
use dialects::counting;
use dialects::error_body;
use dialects::passes::has_signatures;
use dialects::scan::{Scan, scan_count};
use dialects::{DialectId, ReplyContext, Sighted, Word, generate_content, messages};
use futures_util::future::BoxFuture;
use providers::{Format, Operation, RequestBody};

use super::body::json_body;
use super::call::Call;
use super::headers::{passing, passing_query};
use super::offload::run_blocking;
use super::pipeline::Refused;
use super::spelled::Spelled;
use super::task::{Addressee, Outgoing, Task, Used};
use super::whole_answer::{Reading, WholeAnswer};
use super::{responses, strict, vendor_state};
use crate::app::App;

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
        let mut spelled = Spelled::out(call.dialect, body, scan, scan_count)?;
        let counts = app.config().limits.counts();
        spelled.scan.check_counts(&spelled.body, &counts)?;
        let surface = call.dialect.into();
        let has_items = vendor_state::check(app, surface, &spelled.sighted, &spelled.body)?;
        if call.dialect == DialectId::Responses
            && let Some(resumed) = responses::resumed(app, call, &spelled.body, has_items).await?
        {
            let scan = scan_count(call.dialect, &resumed)?.into_owned();
            spelled = Spelled::out(call.dialect, resumed, scan, scan_count)?;
            spelled.scan.check_counts(&spelled.body, &counts)?;
        }
        let Spelled {
            body,
            scan,
            sighted,
        } = spelled;
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
            sighted,
            is_held: call.dialect == DialectId::GenerateContent
                && generate_content::holds_request(&body),
            is_without_signatures: false,
            asked: None,
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
    /// The words in it that matter.
    sighted: Sighted,
    /// Whether the request stands inside of the body, as generate content may have it.
    is_held: bool,
    /// An upstream has refused a proof of earlier reasoning: all of them are left out.
    is_without_signatures: bool,
    /// The dialect that an upstream was asked in last.
    asked: Option<DialectId>,
    body: Bytes,
    request: Request,
}

impl CountTask {
    /// The body for an upstream of the client's own dialect: the client's own bytes, but for values of the gateway's own
    /// making and what the upstream has refused. Says what was left out.
    fn written(&self, to: &Addressee<'_>) -> Result<(Vec<u8>, Vec<String>), Failure> {
        let model = &*to.place.upstream_model;
        if !self.is_held && !self.is_without_signatures && !self.sighted.has(Word::OwnValue) {
            return Ok((self.scan.forward(&self.body, model, false), Vec::new()));
        }
        let upstream = upstream_dialect(self.client);
        let mut target = upstream.target(model);
        target.without_signatures = self.is_without_signatures;
        let mut request = self.request.clone();
        model.clone_into(&mut request.model);
        let mut reply = ReplyContext::default();
        let written = convert_request_to(upstream, &mut request, &target, &mut reply)?;
        let body = if self.is_held {
            generate_content::hold_request(&written.body, model)?
        } else {
            written.body
        };
        Ok((body, written.dropped))
    }

    /// The same for an upstream that counts in another dialect. A request that cannot be said there is counted here.
    fn converted(
        &self,
        asked: DialectId,
        to: &Addressee<'_>,
    ) -> Result<(Vec<u8>, Vec<String>), Failure> {
        let model = &*to.place.upstream_model;
        let upstream = upstream_dialect(asked);
        let mut target = upstream.target(model);
        target.strict = strict::is_strict(to.call);
        target.without_signatures = self.is_without_signatures;
        let mut request = self.request.clone();
        model.clone_into(&mut request.model);
        let mut reply = ReplyContext::default();
        let written = convert_request_to(upstream, &mut request, &target, &mut reply);
        let written = written.map_err(|failure| Failure::unsupported("model", failure.message))?;
        let body = counting::question(asked, &written.body, model)?;
        Ok((body, written.dropped))
    }

    /// The dialect that an upstream is asked in: the client's own where it counts in that.
    fn counter(&self, offered: &[Format]) -> Option<DialectId> {
        if offered.contains(&Format::Text(self.client)) {
            return Some(self.client);
        }
        offered.iter().find_map(|format| match format {
            Format::Text(id) if counting::has_counter(*id) => Some(*id),
            _ => None,
        })
    }

    async fn count(&self) -> u64 {
        if !tokens::must_leave_thread(self.body.len()) {
            return tokens::count_request(&self.request);
        }
        let request = self.request.clone();
        let counted = run_blocking(move || tokens::count_request(&request)).await;
        let bound = self.body.len() as u64;
        counted.unwrap_or_else(|| tokens::approximate(bound))
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

    fn leave_signatures_out<'a>(&'a mut self, call: &'a Call) -> BoxFuture<'a, bool> {
        Box::pin(async {
            if self.is_without_signatures || strict::is_strict(call) {
                return false;
            }
            self.is_without_signatures = has_signatures(&self.request);
            self.is_without_signatures
        })
    }

    fn answer_instead<'a>(&'a mut self, failure: &Failure) -> BoxFuture<'a, Option<Bytes>> {
        let is_ours = match failure.kind {
            // What is wrong with a question that we wrote is not the client's fault.
            _ if self.asked.is_some_and(|asked| asked != self.client) => true,
            FailureKind::Unsupported
            | FailureKind::UpstreamBad
            | FailureKind::Overloaded
            | FailureKind::RateLimited
            | FailureKind::Timeout => true,
            // A model that is served and cannot be counted with there.
            FailureKind::ModelNotFound | FailureKind::NotFound => self.asked.is_some(),
            _ => false,
        };
        Box::pin(async move {
            if !is_ours {
                return None;
            }
            let counted = self.count().await;
            Some(Bytes::from(counting::write(self.client, counted)))
        })
    }

    fn write<'a>(&'a mut self, to: Addressee<'a>) -> BoxFuture<'a, Result<Outgoing, Failure>> {
        Box::pin(async move {
            let Some(asked) = self.counter(to.formats) else {
                let text = "The upstream has no counter that is known.";
                return Err(Failure::unsupported("model", text));
            };
            let (body, dropped) = if asked == self.client {
                self.written(&to)?
            } else {
                self.converted(asked, &to)?
            };
            self.asked = Some(asked);
            let client = self.client;
            Ok(Outgoing {
                format: Format::Text(asked),
                is_stream: false,
                headers: passing(to.call, to.place, Some(asked)),
                query: passing_query(to.call, Some(asked)),
                body: RequestBody::Whole(body.into()),
                dropped,
                answer: Box::new(WholeAnswer::json(Count { client, asked })),
            })
        })
    }
}

/// An upstream's own count, which goes through as it is where it is written as clients of this dialect know it.
struct Count {
    client: DialectId,
    asked: DialectId,
}

impl Reading for Count {
    fn longest(&self) -> usize {
        LONGEST
    }

    fn read(&mut self, body: Bytes) -> Result<(Bytes, Used), Failure> {
        let counted = counting::answered(self.asked, &body);
        let unusable = || error_body::unusable("The upstream's answer is no count.", &body);
        let counted = counted.ok_or_else(unusable)?;
        if self.asked != self.client {
            let written = counting::write(self.client, counted);
            return Ok((written.into(), Used::default()));
        }
        let respelled = match self.client {
            DialectId::Messages => messages::count::respelled(&body),
            _ => None,
        };
        Ok((respelled.map_or(body, Bytes::from), Used::default()))
    }
}
