//! The Modelgate service: everything that the binary `modelgate` is made of.

pub mod accounts;
pub mod app;
pub mod area;
pub mod background;
pub mod channels;
pub mod clock;
pub mod commands;
pub mod config;
mod console;
pub mod demo;
pub mod limits;
pub mod management;
pub mod middleware;
mod model_call;
pub mod money;
pub mod multipart;
mod outbound;
mod payments;
mod probes;
pub mod randomness;
mod refusal;
pub mod secrets;
pub mod serve;
pub mod settings;
pub mod sound_length;
pub mod telemetry;
pub mod tokens;
