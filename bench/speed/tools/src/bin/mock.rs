//! A mock model upstream for measuring: `mock --listen 127.0.0.1:9100`. The switches that a call can
//! set in its path are in `src/mock/switches.rs`.

use std::net::SocketAddr;

use clap::Parser;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Parser)]
#[command(about = "A mock model upstream for measuring")]
struct Arguments {
    /// IPv4 address and port to listen on.
    #[arg(long, value_name = "ADDR")]
    listen: SocketAddr,
}

fn main() -> std::io::Result<()> {
    bench_tools::mock::serve(Arguments::parse().listen)
}
