//! The page for Prometheus: what calls have counted, and what the parts of the service say of
//! themselves at this moment. Everything is in memory; nothing asks a database.

use store::channels::ChannelState;

use super::meter::{FAULTS, Outcome, TOKEN_KINDS};
use super::meters::Series;
use super::page::{Kind, Page, dollars, seconds};
use super::process;
use super::traces::Tracer;
use crate::app::App;

/// So many channels are told one by one.
const MOST_CHANNELS: usize = 500;

/// The page of this node.
pub fn scrape(app: &App) -> String {
    let mut page = Page::default();
    app.http_metrics().render(&mut page);
    calls(&mut page, app);
    channels(&mut page, app);
    trouble(&mut page, app);
    settlement(&mut page, app);
    bodies(&mut page, app);
    dependencies(&mut page, app);
    spans(&mut page, app);
    process::render(&mut page, app.metrics().uptime());
    page.into_text()
}

fn calls(page: &mut Page, app: &App) {
    let name = "modelgate_calls_total";
    let help = "Model calls that ended, by cause; none is a success.";
    page.family(name, Kind::Counter, help);
    for (cause, count) in app.call_ends().counts() {
        page.sample(name, &[("cause", cause)], count);
    }
    let series = app.channels().meters().series();
    ends(page, &series);
    attempts(page, &series);
    let name = "modelgate_tokens_total";
    page.family(name, Kind::Counter, "Tokens of calls that ended, by kind.");
    for one in &series {
        for (kind, count) in TOKEN_KINDS.iter().zip(one.reading.tokens) {
            let labels = [labels(one)[0], labels(one)[1], ("kind", *kind)];
            page.sample(name, &labels, count);
        }
    }
    let name = "modelgate_charged_dollars_total";
    page.family(name, Kind::Counter, "What calls were charged, in dollars.");
    for one in &series {
        page.sample(name, &labels(one), dollars(one.reading.charge_nanos));
    }
}

fn labels(series: &Series) -> [(&str, &str); 2] {
    [("channel", &series.channel), ("model", &series.model)]
}

fn ends(page: &mut Page, series: &[Series]) {
    let name = "modelgate_model_calls_total";
    let help = "Model calls that ended, by the channel and model of their last attempt.";
    page.family(name, Kind::Counter, help);
    for one in series {
        for (outcome, count) in Outcome::ALL.iter().zip(one.reading.ends) {
            let labels = [labels(one)[0], labels(one)[1], ("outcome", outcome.name())];
            page.sample(name, &labels, count);
        }
    }
    let name = "modelgate_model_call_seconds";
    page.family(
        name,
        Kind::Histogram,
        "From the beginning of a call to its end.",
    );
    for one in series {
        page.histogram(name, &labels(one), &one.reading.total);
    }
}

fn attempts(page: &mut Page, series: &[Series]) {
    let name = "modelgate_attempts_total";
    let help = "Attempts on channels, by result: answered, or the fault.";
    page.family(name, Kind::Counter, help);
    for one in series {
        let [channel, model] = labels(one);
        let answered = [channel, model, ("result", "answered")];
        page.sample(name, &answered, one.reading.answered_attempts);
        let faults = FAULTS.iter().zip(one.reading.faults);
        for (fault, count) in faults.filter(|(_, count)| *count > 0) {
            page.sample(name, &[channel, model, ("result", fault.name())], count);
        }
    }
    let name = "modelgate_attempt_first_byte_seconds";
    let help = "From the beginning of an attempt to the first byte of its answer.";
    page.family(name, Kind::Histogram, help);
    for one in series {
        page.histogram(name, &labels(one), &one.reading.first_byte);
    }
}

fn channels(page: &mut Page, app: &App) {
    let snapshot = app.channels().snapshot();
    let name = "modelgate_channels";
    page.family(
        name,
        Kind::Gauge,
        "Channels, by the state that somebody set.",
    );
    let states = [
        ("on", ChannelState::On),
        ("draining", ChannelState::Draining),
        ("paused", ChannelState::Paused),
        ("off", ChannelState::Off),
    ];
    for (state, wanted) in states {
        let count = snapshot
            .channels()
            .filter(|one| one.state == wanted)
            .count();
        page.sample(name, &[("state", state)], count);
    }
    let broken = snapshot.broken().len();
    page.sample(name, &[("state", "unusable")], broken);
    let shown: Vec<_> = snapshot.channels().take(MOST_CHANNELS).collect();
    let name = "modelgate_channel_up";
    let help = "Whether a channel is on and takes calls.";
    page.family(name, Kind::Gauge, help);
    for channel in &shown {
        let is_up = channel.state == ChannelState::On && channel.down_because().is_none();
        page.sample(name, &[("channel", &channel.name)], u8::from(is_up));
    }
    let now_ms = app.clock().now_ms();
    let statuses: Vec<_> = shown.iter().map(|one| (one, one.status(now_ms))).collect();
    let name = "modelgate_channel_calls_running";
    page.family(name, Kind::Gauge, "Calls under way on a channel.");
    for (channel, status) in &statuses {
        page.sample(name, &[("channel", &channel.name)], status.in_flight);
    }
    let name = "modelgate_channel_latency_seconds";
    let help = "The moving average to the first byte, by which channels are chosen.";
    page.family(name, Kind::Gauge, help);
    for (channel, status) in &statuses {
        if let Some(latency_ms) = status.latency_ms {
            page.sample(name, &[("channel", &channel.name)], latency_ms / 1000.0);
        }
    }
}

/// What is counted where it happens, which is rarely.
fn trouble(page: &mut Page, app: &App) {
    let name = "modelgate_pauses_total";
    let help = "Channels and keys paused by the gateway.";
    page.family(name, Kind::Counter, help);
    for (what, count) in app.channels().meters().pauses().counts() {
        page.sample(name, &[("what", what)], count);
    }
    let name = "modelgate_incidents_open";
    let help = "Incidents that are open, over all nodes.";
    page.single(name, Kind::Gauge, help, app.metrics().open_incidents());
    let name = "modelgate_limits_on_node_share";
    let help = "Whether this node keeps to its share of all limits because Redis is away.";
    let is_alone = u8::from(app.limiter().is_away());
    page.single(name, Kind::Gauge, help, is_alone);
    let name = "modelgate_limits_lost_corrections_total";
    let help = "Corrections of limits that were lost.";
    page.single(name, Kind::Counter, help, app.limiter().lost());
}

fn settlement(page: &mut Page, app: &App) {
    let figures = app.wallets().figures();
    let amount = |nanos: i64| dollars(u64::try_from(nanos).unwrap_or(0));
    let (bytes, most_bytes) = figures.journal.unwrap_or_default();
    let writing = u64::try_from(figures.writing_ms).unwrap_or(0);
    let mut gauge = |name: &str, help: &str, value: String| {
        page.single(name, Kind::Gauge, help, value);
    };
    gauge(
        "modelgate_leases",
        "Slices of wallets that this node holds.",
        figures.leases.to_string(),
    );
    gauge(
        "modelgate_lease_free_dollars",
        "What new calls may reserve of them.",
        amount(figures.free_nanos),
    );
    gauge(
        "modelgate_lease_reserved_dollars",
        "What running calls and unwritten charges hold of them.",
        amount(figures.reserved_nanos),
    );
    gauge(
        "modelgate_settlement_calls",
        "Calls that run or wait for their charge to be written.",
        figures.calls.to_string(),
    );
    gauge(
        "modelgate_settlement_calls_limit",
        "The most of them; calls beyond are refused.",
        figures.most_calls.to_string(),
    );
    gauge(
        "modelgate_settlement_queue",
        "Calls that waited when the writer last looked.",
        figures.waiting.to_string(),
    );
    gauge(
        "modelgate_settlement_writing_seconds",
        "How long the group that is being written has taken so far.",
        seconds(writing.saturating_mul(1000)),
    );
    gauge(
        "modelgate_journal_bytes",
        "The journal of charges that wait for the database.",
        bytes.to_string(),
    );
    gauge(
        "modelgate_journal_limit_bytes",
        "The most that it may hold; 0 without a journal.",
        most_bytes.to_string(),
    );
    let mut counter = |name: &str, help: &str, value: u64| {
        page.single(name, Kind::Counter, help, value);
    };
    counter(
        "modelgate_settlement_transactions_total",
        "Transactions begun for leases and charges.",
        figures.round_trips,
    );
    counter(
        "modelgate_log_rows_lost_total",
        "Log rows of refused calls that were lost because too many waited.",
        figures.lost_notes,
    );
}

fn bodies(page: &mut Page, app: &App) {
    let memory = app.body_memory();
    let limit = memory.limit(app.config().limits.body_memory_bytes);
    let (waiting, jobs) = app.work_pool().job_counts();
    let mut gauge = |name: &str, help: &str, value: usize| {
        page.single(name, Kind::Gauge, help, value);
    };
    let help = "Memory reserved for request bodies in flight.";
    gauge("modelgate_body_memory_bytes", help, memory.used());
    let help = "The most that may be reserved for request bodies.";
    gauge("modelgate_body_memory_limit_bytes", help, limit);
    let help = "Computations with large bodies that wait or run.";
    gauge("modelgate_offload_jobs", help, jobs);
    let help = "Computations with large bodies that wait for a thread.";
    gauge("modelgate_offload_queue", help, waiting);
    let mut counter = |name: &str, help: &str, value: u64| {
        page.single(name, Kind::Counter, help, value);
    };
    let help = "Reservations of memory for request bodies that were rejected.";
    counter(
        "modelgate_body_memory_rejected_total",
        help,
        memory.rejected(),
    );
    let help = "Computations with large bodies that were rejected because the queue was full.";
    counter(
        "modelgate_offload_rejected_total",
        help,
        app.work_pool().rejected(),
    );
}

fn dependencies(page: &mut Page, app: &App) {
    let is_up = !app.wallets().figures().is_away;
    let help = "Whether the database answers, as far as the writer of charges knows.";
    page.single("modelgate_database_up", Kind::Gauge, help, u8::from(is_up));
    let is_up = app.shared().is_available();
    let help = "Whether Redis answers; 1 where there is none.";
    page.single("modelgate_redis_up", Kind::Gauge, help, u8::from(is_up));
    let name = "modelgate_database_connections";
    page.family(
        name,
        Kind::Gauge,
        "Connections to the database, by pool and use.",
    );
    for pool in app.store().database().pools() {
        let busy = pool.size.saturating_sub(pool.idle);
        page.sample(name, &[("pool", pool.name), ("state", "busy")], busy);
        page.sample(name, &[("pool", pool.name), ("state", "idle")], pool.idle);
    }
    let name = "modelgate_limit_slots_held";
    let help = "Calls that hold slots of concurrency limits.";
    page.single(name, Kind::Gauge, help, app.limiter().running());
    let name = "modelgate_limit_corrections_queue";
    let help = "Corrections of limits that wait for Redis.";
    page.single(name, Kind::Gauge, help, app.limiter().waiting());
}

fn spans(page: &mut Page, app: &App) {
    let name = "modelgate_trace_spans_total";
    let help = "Spans, by what became of them: sent, dropped for want of room, or refused.";
    page.family(name, Kind::Counter, help);
    let counts = app.tracer().map(Tracer::counts).unwrap_or_default();
    let results = [
        ("sent", counts.sent),
        ("dropped", counts.dropped),
        ("failed", counts.failed),
    ];
    for (result, count) in results {
        page.sample(name, &[("result", result)], count);
    }
}
