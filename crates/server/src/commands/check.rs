//! `modelgate check`: everything that is wrong with the configuration, one problem a line.

use std::io::{self, Write as _};
use std::process::ExitCode;

use super::failure::{Exit, Failure};
use crate::config::{Config, Sources, show};
use crate::serve::load_tls;

/// Flags of `check`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Show every setting in effect and where it was set; secrets are left out.
    #[arg(long)]
    show: bool,
}

/// Checks and reports.
pub(super) fn run(sources: &Sources, arguments: &Arguments) -> ExitCode {
    let config = match Config::load(sources) {
        Ok(config) => config,
        Err(problems) => {
            for problem in &problems.0 {
                eprintln!("{problem}");
            }
            return ExitCode::from(Exit::Configuration as u8);
        }
    };
    if let Some((certificate, key)) = config.server.tls()
        && let Err(error) = load_tls(certificate, key)
    {
        return Failure::from(error).report();
    }
    let text = if arguments.show {
        show(&config)
    } else {
        "the configuration is valid\n".to_owned()
    };
    match io::stdout().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => Failure::from(error).report(),
    }
}
