//! Requests of every dialect: instructions, a tool, and a conversation with calls and their results
//! that goes on until the body has the wanted size.

use dialects::DialectId;
use serde_json::{Value, json};

use crate::words::text;

/// The name that every request asks for.
pub const MODEL: &str = "bench-model";

/// A streamed request of at least `size` bytes, and not much more.
pub fn request(dialect: DialectId, size: usize) -> Vec<u8> {
    let turn_bytes = (size / 50).clamp(32, 1000);
    (1..=size)
        .map(|rounds| {
            let turns = (0..rounds).flat_map(|round| turns(dialect, round, turn_bytes));
            let body = body(dialect, turns.collect(), turn_bytes);
            serde_json::to_vec(&body).expect("a JSON value always serialises")
        })
        .find(|body| body.len() >= size)
        .expect("each round adds to the body")
}

fn body(dialect: DialectId, turns: Vec<Value>, bytes: usize) -> Value {
    let system = text(bytes * 4, 0);
    let about = "Look up when the water is high at a harbour.";
    let schema = json!({
        "type": "object",
        "properties": {
            "harbour": {"type": "string", "description": "Name of the harbour"},
            "hour": {"type": "integer", "minimum": 0, "maximum": 23},
        },
        "required": ["harbour"],
    });
    match dialect {
        DialectId::ChatCompletions => {
            let mut messages = vec![json!({"role": "system", "content": system})];
            messages.extend(turns);
            json!({
                "model": MODEL, "messages": messages, "temperature": 0.7, "stream": true,
                "max_completion_tokens": 1024,
                "tools": [{"type": "function", "function":
                    {"name": "tide", "description": about, "parameters": schema}}],
            })
        }
        DialectId::TextCompletions => {
            let prompt: String = turns.iter().filter_map(Value::as_str).collect();
            json!({
                "model": MODEL, "prompt": prompt, "temperature": 0.7, "stream": true,
                "max_tokens": 1024, "stop": ["\n\n\n"],
            })
        }
        DialectId::Messages => json!({
            "model": MODEL, "max_tokens": 1024, "temperature": 0.7, "stream": true,
            "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
            "messages": turns,
            "tools": [{"name": "tide", "description": about, "input_schema": schema}],
        }),
        DialectId::GenerateContent => json!({
            "systemInstruction": {"parts": [{"text": system}]},
            "contents": turns,
            "generationConfig": {"temperature": 0.7, "maxOutputTokens": 1024},
            "tools": [{"functionDeclarations":
                [{"name": "tide", "description": about, "parametersJsonSchema": schema}]}],
        }),
        DialectId::Responses => json!({
            "model": MODEL, "instructions": system, "input": turns, "stream": true,
            "max_output_tokens": 1024, "store": false,
            "tools": [{"type": "function", "name": "tide", "description": about,
                "parameters": schema, "strict": false}],
        }),
    }
}

/// One round of the conversation: a question, words with a call, its result.
fn turns(dialect: DialectId, round: usize, bytes: usize) -> Vec<Value> {
    let id = format!("call_{round:04}");
    let arguments = json!({"harbour": "Nordhafen", "hour": round % 24});
    let (question, words, result) = (
        text(bytes, 3 * round),
        text(bytes, 3 * round + 1),
        text(bytes, 3 * round + 2),
    );
    match dialect {
        DialectId::ChatCompletions => vec![
            json!({"role": "user", "content": question}),
            json!({"role": "assistant", "content": words, "tool_calls": [{"id": id,
                "type": "function",
                "function": {"name": "tide", "arguments": arguments.to_string()}}]}),
            json!({"role": "tool", "tool_call_id": id, "content": result}),
        ],
        DialectId::TextCompletions => vec![json!(question), json!(words), json!(result)],
        DialectId::Messages => vec![
            json!({"role": "user", "content": question}),
            json!({"role": "assistant", "content": [{"type": "text", "text": words},
                {"type": "tool_use", "id": id, "name": "tide", "input": arguments}]}),
            json!({"role": "user", "content":
                [{"type": "tool_result", "tool_use_id": id, "content": result}]}),
        ],
        DialectId::GenerateContent => vec![
            json!({"role": "user", "parts": [{"text": question}]}),
            json!({"role": "model", "parts": [{"text": words},
                {"functionCall": {"id": id, "name": "tide", "args": arguments}}]}),
            json!({"role": "user", "parts": [{"functionResponse":
                {"id": id, "name": "tide", "response": {"result": result}}}]}),
        ],
        DialectId::Responses => vec![
            json!({"type": "message", "role": "user",
                "content": [{"type": "input_text", "text": question}]}),
            json!({"type": "message", "role": "assistant",
                "content": [{"type": "output_text", "text": words}]}),
            json!({"type": "function_call", "call_id": id, "name": "tide",
                "arguments": arguments.to_string()}),
            json!({"type": "function_call_output", "call_id": id, "output": result}),
        ],
    }
}
