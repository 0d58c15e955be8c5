//! Tests of the running service, in one binary: in process through real sockets, and as the
//! program that users start.

mod call_limits;
mod calls;
mod commands;
mod console;
mod declared;
mod drain;
mod failures;
mod health;
mod imports;
mod limits;
mod management;
mod money;
mod nodes;
mod outages;
mod panics;
mod payments;
mod refusals;
mod reload;
mod repository_rules;
mod request_id;
mod setup;
mod support;
mod tls;
mod upkeep;
mod watch;
