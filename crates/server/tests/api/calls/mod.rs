//! Model calls through the running program and its demo channel.

mod gateway;
mod money;
mod refusals;
mod shapes;
