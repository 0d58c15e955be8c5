//! How the cost of reading, converting and writing grows with the size of the input: each reader, pass
//! and writer gets 1, 4 and 16 times its worst shape, in every pair of dialects. Fails if a cost grows
//! faster than its input. Arguments filter the rows: `cargo bench -p dialects --bench growth -- tools`.

mod measure;
mod replies;
mod requests;
mod streams;

use std::fmt::Debug;
use std::hint::black_box;
use std::io::{Write, stdout};
use std::process::ExitCode;

use dialects::convert::{StreamConverter, convert_reply, convert_request, dialect, listen_reply};
use dialects::error_body::{for_client, read_error};
use dialects::passes::Target;
use dialects::scan::scan;
use dialects::tap::Tap;
use dialects::{CountLimits, DialectId, Framing, PathHints, ReplyContext};

use measure::{FACTORS, Growth, MAX_EXPONENT};

/// A model of generate content that takes an older form of schemas.
const OLDER_MODEL: &str = "gemini-2.0-flash";
const LIMITS: CountLimits = CountLimits {
    messages: 100,
    parts: 100_000_000,
    tools: 100,
    schema_nodes: 100_000_000,
    stops: 100,
};

fn main() -> std::io::Result<ExitCode> {
    // Cargo itself passes options such as `--bench`.
    let filters: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let mut table = Table {
        filters,
        shapes: Vec::new(),
    };
    table.scans()?;
    table.requests()?;
    table.replies()?;
    table.streams()?;
    table.errors()?;
    table.summary()
}

/// Prints the rows that were asked for and keeps the largest exponent of each shape.
struct Table {
    filters: Vec<String>,
    shapes: Vec<(String, String, f64)>,
}

impl Table {
    /// A row for one operation on inputs of three sizes. There is none if an input does not exist.
    fn row<T>(
        &mut self,
        shape: &str,
        way: &str,
        input: impl Fn(usize) -> Option<T>,
        run: impl FnMut(&T),
    ) -> std::io::Result<()> {
        let name = format!("{shape}: {way}");
        if !self.filters.iter().all(|filter| name.contains(filter)) {
            return Ok(());
        }
        let [Some(least), Some(middle), Some(most)] = FACTORS.map(input) else {
            return Ok(());
        };
        let growth = Growth::measure(&[least, middle, most], run);
        let [one, four, sixteen] = growth.microseconds();
        let exponent = growth.exponent();
        writeln!(
            stdout(),
            "{name:<52} {one:>9.0} {four:>9.0} {sixteen:>10.0} us  {exponent:>5.2}"
        )?;
        match self.shapes.iter_mut().find(|(known, ..)| known == shape) {
            Some((_, worst, largest)) if exponent > *largest => {
                (*worst, *largest) = (way.to_owned(), exponent);
            }
            Some(_) => {}
            None => self
                .shapes
                .push((shape.to_owned(), way.to_owned(), exponent)),
        }
        Ok(())
    }

    /// Bodies that are scanned and counted, as those that go through unchanged are.
    fn scans(&mut self) -> std::io::Result<()> {
        for (shape, size) in requests::Shape::ALL {
            for client in DialectId::ALL {
                let input = |factor| requests::request(client, shape, size * factor);
                self.row(
                    &named("request", shape),
                    &format!("scan {}", client.name()),
                    input,
                    |body| {
                        let scan = scan(client, body).expect("a valid body");
                        let _ = black_box(scan.check_counts(body, &LIMITS));
                        let _ = black_box(scan.sighted(body));
                    },
                )?;
            }
        }
        Ok(())
    }

    fn requests(&mut self) -> std::io::Result<()> {
        for (shape, size) in requests::Shape::ALL {
            for (upstream, model, client) in targets() {
                let way = format!("{} -> {}{model}", client.name(), upstream.name());
                let target = Target::new(upstream, model.trim_start());
                let input = |factor| requests::request(client, shape, size * factor);
                self.row(&named("request", shape), &way, input, |body| {
                    let path = PathHints {
                        model: Some("m".to_owned()),
                        stream: true,
                    };
                    let request = dialect(client).read_request(body, &path);
                    let request = request.expect("a valid body");
                    // Some shapes cannot be said in some dialects; that must not cost more either.
                    let _ = black_box(convert_request(request, &target, &mut context()));
                })?;
            }
        }
        Ok(())
    }

    fn replies(&mut self) -> std::io::Result<()> {
        for (shape, size) in replies::Shape::ALL {
            for upstream in DialectId::ALL {
                let input = |factor| replies::reply(upstream, shape, size * factor);
                let name = named("reply", shape);
                self.row(
                    &name,
                    &format!("listen {}", upstream.name()),
                    input,
                    |body| {
                        let _ = black_box(listen_reply(upstream, body).expect("a valid reply"));
                    },
                )?;
                for client in DialectId::ALL {
                    let way = format!("{} -> {}", upstream.name(), client.name());
                    self.row(&name, &way, input, |body| {
                        let converted = convert_reply(upstream, client, body, &context());
                        let _ = black_box(converted.expect("a valid reply"));
                    })?;
                }
            }
        }
        Ok(())
    }

    fn streams(&mut self) -> std::io::Result<()> {
        for (shape, size) in streams::Shape::ALL {
            for upstream in DialectId::ALL {
                let input = |factor| {
                    let context = ReplyContext {
                        stop: shape.stops(size * factor),
                        ..context()
                    };
                    Some((streams::stream(upstream, shape, size * factor)?, context))
                };
                let name = named("stream", shape);
                self.row(
                    &name,
                    &format!("tap {}", upstream.name()),
                    input,
                    |(chunks, _)| {
                        let mut tap = Tap::new(upstream, Framing::ServerSentEvents, true);
                        for chunk in chunks {
                            let _ = black_box(tap.push(chunk));
                        }
                        let _ = black_box(tap.close());
                        assert!(tap.outcome().failure.is_none());
                    },
                )?;
                for client in DialectId::ALL {
                    let way = format!("{} -> {}", upstream.name(), client.name());
                    self.row(&name, &way, input, |(chunks, context)| {
                        let _ = black_box(converted(upstream, client, chunks, context));
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Errors of upstreams, whose texts are masked.
    fn errors(&mut self) -> std::io::Result<()> {
        for (name, word) in [
            ("words", "word "),
            ("addresses", "https://a.test/?a=b&c=d="),
            ("key characters", "sk-1"),
            ("dots", "a.b.c."),
        ] {
            let input = |factor: usize| {
                let text = word.repeat(1000 * factor);
                Some(serde_json::json!({"error": {"message": text}}).to_string())
            };
            self.row("error text", name, input, |body| {
                let _ = black_box(for_client(read_error(400, body.as_bytes())));
            })?;
        }
        Ok(())
    }

    /// Prints the largest exponent of each shape; fails if one is too large.
    fn summary(&self) -> std::io::Result<ExitCode> {
        writeln!(stdout(), "\n{:<28} {:<34} exponent", "shape", "steepest")?;
        for (shape, way, exponent) in &self.shapes {
            writeln!(stdout(), "{shape:<28} {way:<34} {exponent:.2}")?;
        }
        let is_too_steep = |(.., exponent): &(String, String, f64)| *exponent > MAX_EXPONENT;
        if self.shapes.iter().any(is_too_steep) {
            writeln!(
                stdout(),
                "a cost grows faster than its input: above {MAX_EXPONENT}"
            )?;
            return Ok(ExitCode::FAILURE);
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn named(kind: &str, shape: impl Debug) -> String {
    format!("{kind} {shape:?}")
}

/// Every upstream, with a model that is written after its name, and every client.
fn targets() -> impl Iterator<Item = (DialectId, String, DialectId)> {
    let upstreams = [
        (DialectId::ChatCompletions, String::new()),
        (DialectId::Messages, String::new()),
        (DialectId::GenerateContent, String::new()),
        (DialectId::GenerateContent, format!(" {OLDER_MODEL}")),
        (DialectId::Responses, String::new()),
    ];
    upstreams.into_iter().flat_map(|(upstream, model)| {
        let clients = DialectId::ALL.into_iter();
        clients.map(move |client| (upstream, model.clone(), client))
    })
}

fn context() -> ReplyContext {
    ReplyContext {
        id: "made-up".to_owned(),
        request_id: "req_bench".to_owned(),
        created: 1_780_000_000,
        model: "m".to_owned(),
        include_usage: true,
        show_reasoning: true,
        ..ReplyContext::default()
    }
}

fn converted(
    upstream: DialectId,
    client: DialectId,
    chunks: &[Vec<u8>],
    context: &ReplyContext,
) -> usize {
    let framing = Framing::ServerSentEvents;
    let mut converter = StreamConverter::new(upstream, framing, client, context);
    let mut out = Vec::with_capacity(4096);
    let mut sent = 0;
    for chunk in chunks {
        out.clear();
        converter.push(chunk, &mut out);
        sent += out.len();
    }
    out.clear();
    converter.close(&mut out);
    let failure = converter.outcome().failure.as_ref();
    assert!(
        failure.is_none(),
        "{} -> {}: {failure:?}",
        upstream.name(),
        client.name()
    );
    sent + out.len()
}
