//! The entry point of `modelgate`: the allocator and the command line.

use std::process::ExitCode;

use clap::Parser as _;
use server::commands::{Cli, run};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    run(Cli::parse())
}
