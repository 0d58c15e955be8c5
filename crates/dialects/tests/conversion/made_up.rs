//! Made-up answers and conversations for property tests: well-formed, and as odd as the canonical
//! form allows.

use dialects::DialectId;
use dialects::Signature;
use dialects::canonical::{
    Arguments, At, ChoiceMode, Event, EventSink, Finish, FinishReason, Media, MediaClass,
    MediaSource, Part, PartHead, PartKind, Request, Role, Schema, ThinkingForm, Tool, ToolCall,
    ToolChoice, ToolKind, ToolRef, ToolResult, Turn, Usage,
};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

/// One part of a made-up answer, in pieces.
#[derive(Debug, Clone)]
pub enum Piecewise {
    Text(Vec<String>),
    Refusal(Vec<String>),
    Thinking(Vec<String>, bool),
    Call {
        name: String,
        arguments: Value,
        cuts: Vec<usize>,
    },
}

/// A made-up streamed answer.
#[derive(Debug, Clone)]
pub struct Answer {
    pub parts: Vec<Piecewise>,
    /// Drives which of the possible steps comes next.
    pub order: Vec<u8>,
    pub usage: Usage,
    pub is_cut: bool,
}

/// Words with everything in them that needs care.
fn words() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z ]{1,12}",
        1 => Just("grün 🌊 \u{2028}\u{0}\"\\\n".to_owned()),
        1 => Just("data: [DONE]\n\n".to_owned()),
        1 => "\\PC{1,8}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        words().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec(("[a-z]{1,4}", inner), 0..3)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    vec(("[b-h]{1,6}", value()), 0..4).prop_map(|pairs| Value::Object(pairs.into_iter().collect()))
}

fn piecewise() -> impl Strategy<Value = Piecewise> {
    prop_oneof![
        4 => vec(words(), 1..4).prop_map(Piecewise::Text),
        1 => vec(words(), 1..3).prop_map(Piecewise::Refusal),
        2 => (vec(words(), 0..3), any::<bool>()).prop_map(|(text, signed)| Piecewise::Thinking(text, signed)),
        3 => ("[a-z]{1,8}", object(), vec(1..20_usize, 0..4))
            .prop_map(|(name, arguments, cuts)| Piecewise::Call { name, arguments, cuts }),
    ]
}

fn usage() -> impl Strategy<Value = Usage> {
    (0..5000_u64, 0..3000_u64, 0..3000_u64, 0..900_u64).prop_map(
        |(rest, read, output, thoughts)| Usage {
            input: Some(rest + read),
            cache_read: Some(read),
            output: Some(output + thoughts),
            reasoning: Some(thoughts),
            ..Usage::default()
        },
    )
}

/// Any answer.
pub fn answer() -> impl Strategy<Value = Answer> {
    (
        vec(piecewise(), 0..6),
        vec(any::<u8>(), 0..40),
        usage(),
        prop::bool::weighted(0.2),
    )
        .prop_map(|(parts, order, usage, is_cut)| Answer {
            parts,
            order,
            usage,
            is_cut,
        })
}

impl Answer {
    /// Why it ends.
    pub fn finish(&self) -> Finish {
        let calls = self
            .parts
            .iter()
            .any(|part| matches!(part, Piecewise::Call { .. }));
        match (self.is_cut, calls) {
            (true, _) => Finish::new(FinishReason::Length, "length"),
            (false, true) => Finish::new(FinishReason::ToolCalls, "tool_calls"),
            (false, false) => Finish::new(FinishReason::Stop, "stop"),
        }
    }

    /// Plays it. Words come one part after the other, calls may overlap with everything.
    pub fn play(&self, sink: &mut dyn EventSink) {
        sink.event(Event::Start {
            id: "answer-1",
            model: "test-model",
            created: Some(1_780_000_000),
        });
        let mut player = Player {
            answer: self,
            next: 0,
            open: Vec::new(),
            sink,
        };
        for choice in &self.order {
            player.step(*choice);
        }
        while player.next < self.parts.len() {
            player.begin();
        }
        player.close(|_| true);
        sink.event(Event::Usage(&self.usage));
        sink.event(Event::Finish {
            choice: 0,
            finish: &self.finish(),
        });
        sink.event(Event::End);
    }
}

/// An open part and the pieces that are still to come.
struct Open {
    part: u32,
    is_call: bool,
    pieces: Vec<String>,
    signature: Option<Signature>,
}

struct Player<'a> {
    answer: &'a Answer,
    next: usize,
    open: Vec<Open>,
    sink: &'a mut dyn EventSink,
}

impl Player<'_> {
    fn step(&mut self, choice: u8) {
        match choice % 8 {
            0 => self.sink.event(Event::Ping),
            1 | 2 if self.next < self.answer.parts.len() => self.begin(),
            3 if !self.open.is_empty() => {
                let part = self.open[usize::from(choice) % self.open.len()].part;
                self.close(|open| open.part == part);
            }
            4 => self.sink.event(Event::Usage(&Usage {
                input: self.answer.usage.input,
                ..Usage::default()
            })),
            _ if !self.open.is_empty() => {
                let place = usize::from(choice) % self.open.len();
                let open = &mut self.open[place];
                if !open.pieces.is_empty() {
                    let text = open.pieces.remove(0);
                    let (part, is_call) = (open.part, open.is_call);
                    self.say(part, is_call, &text);
                }
            }
            _ => {}
        }
    }

    fn say(&mut self, part: u32, is_call: bool, text: &str) {
        let at = At { choice: 0, part };
        self.sink.event(if is_call {
            Event::Arguments { at, text }
        } else {
            Event::Text { at, text }
        });
    }

    fn begin(&mut self) {
        let part = u32::try_from(self.next).expect("few parts");
        let at = At { choice: 0, part };
        let id = format!("call_{part}");
        let made = &self.answer.parts[self.next];
        self.next += 1;
        let (head, pieces) = match made {
            Piecewise::Text(pieces) => (PartHead::Text, pieces.clone()),
            Piecewise::Refusal(pieces) => (PartHead::Refusal, pieces.clone()),
            Piecewise::Thinking(pieces, _) => {
                (PartHead::Thinking(ThinkingForm::Summary), pieces.clone())
            }
            Piecewise::Call {
                name,
                arguments,
                cuts,
            } => (
                PartHead::ToolCall {
                    id: &id,
                    name,
                    namespace: None,
                    is_free: false,
                },
                cut(&arguments.to_string(), cuts),
            ),
        };
        let is_call = matches!(made, Piecewise::Call { .. });
        if !is_call {
            self.close(|open| !open.is_call);
        }
        self.sink.event(Event::PartStart { at, head });
        let is_signed = matches!(made, Piecewise::Thinking(_, true));
        let signature = is_signed.then(|| Signature::native(DialectId::Messages, "signed"));
        self.open.push(Open {
            part,
            is_call,
            pieces,
            signature,
        });
    }

    /// Says what is left of these parts and ends them.
    fn close(&mut self, which: impl Fn(&Open) -> bool) {
        let (closing, open) = std::mem::take(&mut self.open).into_iter().partition(which);
        self.open = open;
        for Open {
            part,
            is_call,
            pieces,
            signature,
        } in closing
        {
            for text in pieces {
                self.say(part, is_call, &text);
            }
            let at = At { choice: 0, part };
            if let Some(signature) = &signature {
                self.sink.event(Event::Signature { at, signature });
            }
            self.sink.event(Event::PartEnd { at });
        }
    }
}

/// A text in pieces of about these many characters.
fn cut(text: &str, sizes: &[usize]) -> Vec<String> {
    let mut rest = text.chars();
    let mut pieces: Vec<String> = sizes
        .iter()
        .map(|size| rest.by_ref().take(*size).collect())
        .collect();
    pieces.push(rest.collect());
    pieces.retain(|piece: &String| !piece.is_empty());
    pieces
}

/// One exchange of a made-up conversation.
#[derive(Debug, Clone)]
struct Exchange {
    question: String,
    picture: bool,
    answer: Option<String>,
    calls: Vec<(Value, String)>,
}

fn exchange() -> impl Strategy<Value = Exchange> {
    (
        words(),
        any::<bool>(),
        prop::option::of(words()),
        vec((object(), words()), 0..3),
    )
        .prop_map(|(question, picture, answer, calls)| Exchange {
            question,
            picture,
            answer,
            calls,
        })
}

/// Any conversation, as a client of chat completions would have it, tools and settings included.
pub fn conversation() -> impl Strategy<Value = Request> {
    let settings = (
        prop::option::of(words()),
        prop::option::of(16..9000_u64),
        prop::option::of(0..10_u32),
        vec("[a-z]{1,5}", 0..3),
        0..4_u8,
    );
    (vec(exchange(), 0..4), words(), settings).prop_map(|(exchanges, last, settings)| {
        let (system, max_output, warmth, stop, choice) = settings;
        let mut request = Request::new(DialectId::ChatCompletions, "test-model");
        request.system = system.into_iter().map(Part::text).collect();
        request.max_output = max_output;
        request.sampling.temperature =
            warmth.map(|tenths| format!("0.{tenths}").parse().expect("a number"));
        request.stop = stop;
        let has_calls = exchanges.iter().any(|one| !one.calls.is_empty());
        for (number, exchange) in exchanges.into_iter().enumerate() {
            push(&mut request, number, exchange);
        }
        request
            .turns
            .push(Turn::new(Role::User, vec![Part::text(format!("{last}?"))]));
        if has_calls {
            declare(&mut request, choice);
        }
        request
    })
}

fn push(request: &mut Request, number: usize, exchange: Exchange) {
    let mut asked = vec![Part::text(format!("{}?", exchange.question))];
    if exchange.picture {
        let source = MediaSource::Inline {
            mime: "image/png".to_owned(),
            data: "aGk=".to_owned(),
        };
        asked.push(Part::new(PartKind::Media(Media::new(
            MediaClass::Image,
            source,
        ))));
    }
    request.turns.push(Turn::new(Role::User, asked));
    let mut answered = Vec::new();
    answered.extend(exchange.answer.map(|text| Part::text(format!("{text}."))));
    let mut results = Vec::new();
    for (place, (arguments, result)) in exchange.calls.into_iter().enumerate() {
        let id = format!("call_{number}_{place}");
        answered.push(Part::new(PartKind::ToolCall(ToolCall {
            id: id.clone(),
            name: "look".to_owned(),
            namespace: None,
            arguments: Arguments::Json(arguments.to_string()),
        })));
        results.push(Part::new(PartKind::ToolResult(ToolResult {
            call_id: id,
            name: None,
            is_error: None,
            is_free: false,
            parts: vec![Part::text(format!("{result}!"))],
            shape: dialects::canonical::ContentShape::Text,
        })));
    }
    if !answered.is_empty() {
        request.turns.push(Turn::new(Role::Assistant, answered));
    }
    if !results.is_empty() {
        request.turns.push(Turn::new(Role::User, results));
    }
}

fn declare(request: &mut Request, choice: u8) {
    request.tools.push(Tool {
        name: "look".to_owned(),
        description: Some("Looks.".to_owned()),
        namespace: None,
        kind: ToolKind::Function {
            parameters: Some(Schema::json(json!({
                "type": "object",
                "properties": {"b": {"type": "string"}, "c": {"type": "array", "items": {"type": "number"}}},
                "required": ["b"],
            }))),
            strict: None,
        },
        cache: None,
        extra: dialects::canonical::Extra::new(),
    });
    let named = ToolRef {
        name: "look".to_owned(),
        is_free: false,
    };
    request.tool_choice = ToolChoice {
        mode: match choice {
            0 => None,
            1 => Some(ChoiceMode::Auto),
            2 => Some(ChoiceMode::Required),
            _ => Some(ChoiceMode::Named(named)),
        },
        ..ToolChoice::default()
    };
}
