//! What the tests stand on: a client, the service in process, and the program itself.

mod app;
mod browser;
mod client;
mod mail_sink;
mod office;
mod program;

pub use app::TestApp;
pub use browser::Browser;
pub use client::{Connection, Reply, get, send};
pub use mail_sink::MailSink;
pub use office::{Actor, Office, ROOT_PASSWORD};
pub use program::{Finished, Program, run, run_with};
