//! `[limits]`: how large and how many requests may be. A rate of 0 is no limit.

use dialects::CountLimits;
use serde::Deserialize;

use super::loader::Section;

/// Smaller bodies are always read on the network threads, and their memory is not counted.
pub const MIN_OFFLOAD_BYTES: usize = 16 * 1024;
const MIN_BODY_MEMORY_BYTES: usize = 1024 * 1024;

/// The `[limits]` section.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsConfig {
    /// Largest request body, in bytes.
    pub body_bytes: usize,
    /// Memory for all request bodies in flight, in bytes; 0 is a quarter of the memory available to the process.
    pub body_memory_bytes: usize,
    /// Size from which request bodies and answers are read and converted outside of the network threads, in bytes.
    pub offload_bytes: usize,
    /// Threads for that; 0 is half of the processor's cores.
    pub offload_threads: usize,
    /// Most of such computations that wait or run at once.
    pub offload_jobs: usize,
    /// Most of them for one user.
    pub offload_user_jobs: usize,
    /// Largest body of a payment webhook, in bytes.
    pub webhook_bytes: usize,
    /// How deep JSON may nest.
    pub json_depth: usize,
    /// Most messages (items, contents) of a model call.
    pub message_count: usize,
    /// Most content parts, tool calls and other objects in the messages of a model call.
    pub part_count: usize,
    /// Most tools of a model call.
    pub tool_count: usize,
    /// Most objects in the tools, schemas and settings of a model call.
    pub schema_node_count: usize,
    /// Most stop sequences of a model call.
    pub stop_count: usize,
    /// Most header lines of a request.
    pub header_count: usize,
    /// Largest request head, in bytes.
    pub header_bytes: usize,
    /// How long a new connection may take until its first request begins.
    pub handshake_timeout_s: u64,
    /// How long an open connection may wait for the head of its next request, for more of a body, and for a client that
    /// takes nothing of its answer.
    pub idle_timeout_s: u64,
    /// Most connections open at once.
    pub connections: usize,
    /// Model calls per minute and token, where the token sets none of its own.
    pub rpm: u32,
    /// Model tokens per minute and token, where the token sets none of its own.
    pub tpm: u32,
    /// Model calls at once and token, where the token sets none of its own.
    pub concurrency: u32,
}

impl Default for LimitsConfig {
    fn default() -> Self {
        Self {
            body_bytes: 64 * 1024 * 1024,
            body_memory_bytes: 0,
            offload_bytes: 256 * 1024,
            offload_threads: 0,
            offload_jobs: 1024,
            offload_user_jobs: 256,
            webhook_bytes: 512 * 1024,
            json_depth: 128,
            message_count: 20_000,
            part_count: 100_000,
            tool_count: 10_000,
            schema_node_count: 200_000,
            stop_count: 1_000,
            header_count: 100,
            header_bytes: 64 * 1024,
            handshake_timeout_s: 15,
            idle_timeout_s: 120,
            connections: 20_000,
            rpm: 0,
            tpm: 0,
            concurrency: 0,
        }
    }
}

impl LimitsConfig {
    /// Returns how much a model call may hold.
    pub fn counts(&self) -> CountLimits {
        CountLimits {
            messages: self.message_count,
            parts: self.part_count,
            tools: self.tool_count,
            schema_nodes: self.schema_node_count,
            stops: self.stop_count,
        }
    }
}

impl Section for LimitsConfig {
    const NAME: &'static str = "limits";
    const NEEDS_RESTART: &'static [&'static str] = &[
        "header_count",
        "header_bytes",
        "handshake_timeout_s",
        "idle_timeout_s",
        "connections",
        "offload_threads",
    ];

    fn validate(&self, refuse: &mut dyn FnMut(&'static str, String)) {
        let mut at_least = |key, value: usize, least: usize| {
            if value < least {
                refuse(key, format!("must be at least {least}"));
            }
        };
        at_least("body_bytes", self.body_bytes, 1024);
        at_least("webhook_bytes", self.webhook_bytes, 1024);
        at_least("message_count", self.message_count, 100);
        at_least("part_count", self.part_count, 100);
        at_least("tool_count", self.tool_count, 10);
        at_least("schema_node_count", self.schema_node_count, 100);
        at_least("stop_count", self.stop_count, 4);
        at_least("offload_bytes", self.offload_bytes, MIN_OFFLOAD_BYTES);
        at_least("offload_jobs", self.offload_jobs, 1);
        at_least("offload_user_jobs", self.offload_user_jobs, 1);
        at_least("header_count", self.header_count, 16);
        at_least("header_bytes", self.header_bytes, 8192);
        at_least("connections", self.connections, 1);
        if (1..MIN_BODY_MEMORY_BYTES).contains(&self.body_memory_bytes) {
            let text = format!("must be 0, or at least {MIN_BODY_MEMORY_BYTES}");
            refuse("body_memory_bytes", text);
        }
        // What reads bodies goes no deeper than 128.
        if !(8..=128).contains(&self.json_depth) {
            refuse("json_depth", "must be between 8 and 128".to_owned());
        }
        if !(1..=600).contains(&self.handshake_timeout_s) {
            refuse(
                "handshake_timeout_s",
                "must be between 1 and 600".to_owned(),
            );
        }
        if !(1..=86_400).contains(&self.idle_timeout_s) {
            refuse("idle_timeout_s", "must be between 1 and 86400".to_owned());
        }
    }
}
