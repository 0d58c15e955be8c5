//! Puts one address under load and prints what it saw as a line of JSON; before it a line `ready`
//! that says when the measured window begins.

use std::path::PathBuf;
use std::time::Duration;

use bench_tools::load::{Pace, Requests, Target, call_in_a_loop, hold_open};
use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(about = "Puts one loopback address under load")]
struct Arguments {
    /// Where to send requests, as `http://127.0.0.1:PORT/PATH`.
    #[arg(long)]
    url: Target,
    /// File with the body of every request.
    #[arg(long)]
    body: PathBuf,
    /// A header of every request.
    #[arg(long = "header", value_name = "NAME: VALUE")]
    headers: Vec<String>,
    /// File with tokens, one a line, that take turns in the authorization header.
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// Connections at once.
    #[arg(long, default_value_t = 1)]
    connections: usize,
    /// Length of the window.
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Seconds before the window, under the same load.
    #[arg(long, default_value_t = 1.0)]
    warm_up: f64,
    /// Send so many requests instead, as long as it takes.
    #[arg(long)]
    requests: Option<usize>,
    /// Open one stream a connection and hold it instead.
    #[arg(long, conflicts_with = "requests")]
    hold: bool,
}

fn main() -> std::io::Result<()> {
    let given = Arguments::parse();
    let body = std::fs::read(&given.body)?;
    let tokens = match &given.tokens {
        Some(file) => std::fs::read_to_string(file)?,
        None => String::new(),
    };
    let tokens: Vec<String> = tokens.lines().map(str::to_owned).collect();
    let requests = Requests::new(&given.url, &given.headers, &tokens, &body);
    let length = Duration::from_secs_f64(given.seconds);
    if given.hold {
        return hold_open(&given.url, requests, given.connections, length);
    }
    let pace = match given.requests {
        Some(count) => Pace::Requests(count),
        None => Pace::Window {
            warm_up: Duration::from_secs_f64(given.warm_up),
            length,
        },
    };
    call_in_a_loop(&given.url, requests, given.connections, pace)
}
