//! The entry point of `modelgate`: the allocator and the command line.

use std::process::ExitCode;

use clap::Parser as _;
use server::commands::{Cli, run};

/// Gives back what was freed last: a call finds its memory still in the processor's cache.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    run(Cli::parse())
}
