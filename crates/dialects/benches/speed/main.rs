//! How fast the dialects are, as a table: same-dialect calls (scanned and listened to, not parsed) and
//! every cross-dialect pair. Arguments filter the rows: `cargo bench -p dialects -- scan messages`.
//!
//! Streams are told twice: per frame of a stream of 64 pieces with its beginning and end, and per
//! further piece of text (`ns/piece`), which is what a long answer costs.

mod measure;
mod plain;
mod replies;
mod requests;
mod streams;
mod words;

use std::io::{Write, stdout};

use dialects::convert::{StreamConverter, convert_reply, convert_request, dialect};
use dialects::passes::Target;
use dialects::scan::scan;
use dialects::tap::{Passes, Tap};
use dialects::{DialectId, Framing, PathHints, ReplyContext};

use measure::{Cost, cost, to_f64};
use requests::MODEL;

/// Pieces of text in a stream.
const PIECES: usize = 64;

fn main() -> std::io::Result<()> {
    // Cargo itself passes options such as `--bench`.
    let filters: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let table = Table { filters };
    table.same_dialect_requests()?;
    table.same_dialect_streams()?;
    table.whole_requests()?;
    table.whole_replies()?;
    table.streams()
}

/// Prints the rows that were asked for.
struct Table {
    filters: Vec<String>,
}

impl Table {
    fn wants(&self, row: &str) -> bool {
        self.filters.iter().all(|filter| row.contains(filter))
    }

    /// A row about something with a size.
    fn body_row(
        &self,
        row: &str,
        body: impl FnOnce() -> Vec<u8>,
        measure: impl FnOnce(&[u8]) -> Cost,
    ) -> std::io::Result<()> {
        if !self.wants(row) {
            return Ok(());
        }
        let body = body();
        let bytes = body.len();
        let cost = measure(&body);
        writeln!(
            stdout(),
            "{row:<34} {bytes:>8} B  {:>10.0} ns  {:>6.2} GB/s  {:>7.0} allocations",
            cost.nanoseconds,
            to_f64(bytes) / cost.nanoseconds,
            cost.allocations
        )
    }

    /// A row about a stream: `run` plays these frames.
    fn stream_row(
        &self,
        row: &str,
        upstream: DialectId,
        run: impl Fn(&[Vec<u8>]) -> usize,
    ) -> std::io::Result<()> {
        if !self.wants(row) {
            return Ok(());
        }
        let short = streams::stream(upstream, PIECES);
        let long = streams::stream(upstream, 2 * PIECES);
        let whole = cost(|| run(&short));
        let piece = cost(|| run(&long)).beyond(whole).per(PIECES);
        let event = whole.per(short.len());
        writeln!(
            stdout(),
            "{row:<34} {:>7.0} ns/event {:>6.2} allocations/event  {:>7.0} ns/piece {:>6.2} allocations/piece",
            event.nanoseconds,
            event.allocations,
            piece.nanoseconds,
            piece.allocations
        )
    }

    fn same_dialect_requests(&self) -> std::io::Result<()> {
        for size in [1_000, 200_000] {
            for id in DialectId::ALL {
                let body = || requests::request(id, size);
                let name = format!("{} {} KB", id.name(), size / 1_000);
                self.body_row(&format!("scan {name}"), body, |body| {
                    cost(|| found(id, body))
                })?;
                self.body_row(&format!("scan+forward {name}"), body, |body| {
                    cost(|| forwarded(id, body))
                })?;
            }
        }
        Ok(())
    }

    fn same_dialect_streams(&self) -> std::io::Result<()> {
        for id in DialectId::ALL {
            for hides_usage in [false, true] {
                let has_usage_chunk =
                    matches!(id, DialectId::ChatCompletions | DialectId::TextCompletions);
                if hides_usage && !has_usage_chunk {
                    continue;
                }
                let suffix = if hides_usage { " (usage hidden)" } else { "" };
                let row = format!("tap {}{suffix}", id.name());
                self.stream_row(&row, id, |frames| listened(id, frames, hides_usage))?;
            }
        }
        Ok(())
    }

    fn whole_requests(&self) -> std::io::Result<()> {
        for (upstream, client) in pairs() {
            let row = format!("request {} -> {}", client.name(), upstream.name());
            let body = || requests::request(client, 20_000);
            self.body_row(&row, body, |body| {
                cost(|| carried_request(upstream, client, body))
            })?;
            let plain = || plain::request(client);
            self.body_row(&format!("plain {row}"), plain, |body| {
                cost(|| carried_request(upstream, client, body))
            })?;
        }
        Ok(())
    }

    fn whole_replies(&self) -> std::io::Result<()> {
        let context = context();
        for (upstream, client) in pairs() {
            let row = format!("reply {} -> {}", upstream.name(), client.name());
            self.body_row(
                &row,
                || replies::reply(upstream),
                |body| cost(|| carried_reply(upstream, client, body, &context)),
            )?;
            self.body_row(
                &format!("plain {row}"),
                || plain::reply(upstream),
                |body| cost(|| carried_reply(upstream, client, body, &context)),
            )?;
        }
        Ok(())
    }

    fn streams(&self) -> std::io::Result<()> {
        let context = context();
        for (upstream, client) in pairs() {
            let row = format!("stream {} -> {}", upstream.name(), client.name());
            self.stream_row(&row, upstream, |frames| {
                converted(upstream, client, frames, &context)
            })?;
        }
        Ok(())
    }
}

/// Every upstream with every client that speaks another dialect.
fn pairs() -> impl Iterator<Item = (DialectId, DialectId)> {
    let upstreams = DialectId::ALL
        .into_iter()
        .filter(|id| *id != DialectId::TextCompletions);
    upstreams.flat_map(|upstream| {
        let clients = DialectId::ALL.into_iter().filter(move |id| *id != upstream);
        clients.map(move |client| (upstream, client))
    })
}

fn context() -> ReplyContext {
    ReplyContext {
        id: "made-up".to_owned(),
        request_id: "req_bench".to_owned(),
        created: 1_780_000_000,
        model: MODEL.to_owned(),
        include_usage: true,
        show_reasoning: true,
        estimated_input: 90,
        ..ReplyContext::default()
    }
}

fn found(id: DialectId, body: &[u8]) -> bool {
    scan(id, body).expect("a sound body").stream
}

fn forwarded(id: DialectId, body: &[u8]) -> Vec<u8> {
    let found = scan(id, body).expect("a sound body");
    found.forward(body, "another-model", true)
}

fn carried_request(upstream: DialectId, client: DialectId, body: &[u8]) -> Vec<u8> {
    let path = PathHints {
        model: Some(MODEL.to_owned()),
        stream: true,
    };
    let request = dialect(client)
        .read_request(body, &path)
        .expect("a sound body");
    let target = Target::new(upstream, MODEL);
    let written = convert_request(request, &target, &mut context()).expect("it can be said");
    written.body
}

fn carried_reply(
    upstream: DialectId,
    client: DialectId,
    body: &[u8],
    context: &ReplyContext,
) -> Vec<u8> {
    let converted = convert_reply(upstream, client, body, context);
    converted.expect("a sound answer").0.body
}

fn listened(id: DialectId, frames: &[Vec<u8>], hides_usage: bool) -> usize {
    let mut tap = Tap::new(id, Framing::ServerSentEvents, hides_usage);
    let mut sent = 0;
    for frame in frames {
        sent += match tap.push(frame) {
            Passes::AsItIs => frame.len(),
            Passes::Instead(other) => other.len(),
            Passes::Frames(_) => 0,
        };
    }
    sent += tap.close().len();
    assert!(tap.is_finished() && tap.outcome().failure.is_none());
    sent
}

/// Each chunk's output is sent at once, so the buffer is empty before the next one.
fn converted(
    upstream: DialectId,
    client: DialectId,
    frames: &[Vec<u8>],
    context: &ReplyContext,
) -> usize {
    let mut converter = StreamConverter::new(upstream, Framing::ServerSentEvents, client, context);
    let mut out = Vec::with_capacity(4096);
    let mut sent = 0;
    for frame in frames {
        out.clear();
        converter.push(frame, &mut out);
        sent += out.len();
    }
    converter.close(&mut out);
    assert!(converter.is_finished() && converter.outcome().failure.is_none());
    sent + out.len()
}
