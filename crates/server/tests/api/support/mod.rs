//! What the tests stand on: a client, the service in process, and the program itself.

mod app;
mod browser;
mod client;
mod mail_sink;
mod office;
mod program;
mod spool;

pub use app::TestApp;
pub use browser::Browser;
pub use client::{Connection, Reply, get, send};
pub use mail_sink::MailSink;
pub use office::{Actor, Office, ROOT_PASSWORD};
pub use program::{Finished, Program, run, run_with};
pub use spool::{has_spooled, wait_for_spool};
