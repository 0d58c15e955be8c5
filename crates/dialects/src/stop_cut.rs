//! Stop sequences for an upstream that cannot be told of them (responses): the gateway watches the
//! text and ends the answer there itself. What the model says after that is not shown, but its
//! usage is still read, because it was generated and is paid for.

use crate::canonical::{At, Event, EventSink, Finish, FinishReason, PartHead, PartKind, Reply};

/// Cuts one answer at its first stop sequence.
#[derive(Debug)]
pub struct StopCut {
    stop: Vec<String>,
    /// Text at the end of what came that may be the beginning of a stop sequence.
    held: String,
    met: Option<String>,
    /// Parts that begin after the cut are not shown.
    is_text: bool,
}

impl StopCut {
    /// A cut at any of these; `None` where there are none.
    pub fn new(stop: &[String]) -> Option<Self> {
        let stop: Vec<String> = stop.iter().filter(|s| !s.is_empty()).cloned().collect();
        (!stop.is_empty()).then_some(Self {
            stop,
            held: String::new(),
            met: None,
            is_text: false,
        })
    }

    /// Cuts a whole answer.
    pub fn reply(&self, reply: &mut Reply) {
        for choice in &mut reply.choices {
            let Some((index, at, met)) = choice.parts.iter().enumerate().find_map(|(i, part)| {
                let (at, met) = self.first_in(part.as_text()?)?;
                Some((i, at, met.to_owned()))
            }) else {
                continue;
            };
            if let PartKind::Text { text, .. } = &mut choice.parts[index].kind {
                text.truncate(at);
            }
            choice.parts.truncate(index + 1);
            choice.finish = cut_finish(met);
        }
    }

    /// Hands an event on, as long as no stop sequence was met.
    pub fn event(&mut self, event: Event<'_>, sink: &mut dyn EventSink) {
        match event {
            Event::Finish { choice, .. } if self.met.is_some() => {
                let finish = cut_finish(self.met.clone().unwrap_or_default());
                sink.event(Event::Finish {
                    choice,
                    finish: &finish,
                });
            }
            // What is generated is still counted, and the end is still the end.
            event @ (Event::Usage(_)
            | Event::Tier(_)
            | Event::End
            | Event::Error(_)
            | Event::Ping) => {
                sink.event(event);
            }
            _ if self.met.is_some() => {}
            Event::PartStart { at, head } => {
                self.is_text = head == PartHead::Text;
                self.held.clear();
                sink.event(Event::PartStart { at, head });
            }
            Event::Text { at, text } if self.is_text => self.on_text(at, text, sink),
            Event::PartEnd { at } => {
                if self.is_text && !self.held.is_empty() {
                    let text = &self.held;
                    sink.event(Event::Text { at, text });
                    self.held.clear();
                }
                self.is_text = false;
                sink.event(Event::PartEnd { at });
            }
            event => sink.event(event),
        }
    }

    /// Hands on what is surely before any stop sequence.
    fn on_text(&mut self, at: At, text: &str, sink: &mut dyn EventSink) {
        self.held.push_str(text);
        let met = self.first_in(&self.held);
        let met = met.map(|(end, met)| (end, met.to_owned()));
        let sure = match &met {
            Some((end, _)) => *end,
            None => self.held.len() - self.longest_beginning(),
        };
        if sure > 0 {
            let text = &self.held[..sure];
            sink.event(Event::Text { at, text });
            self.held.drain(..sure);
        }
        if let Some((_, met)) = met {
            sink.event(Event::PartEnd { at });
            self.met = Some(met);
        }
    }

    /// The first stop sequence in a text, and where it begins.
    fn first_in(&self, text: &str) -> Option<(usize, &str)> {
        let found = self
            .stop
            .iter()
            .filter_map(|stop| Some((text.find(stop.as_str())?, stop.as_str())));
        found.min_by_key(|(at, _)| *at)
    }

    /// How many bytes at the end of the held text begin a stop sequence.
    fn longest_beginning(&self) -> usize {
        let beginnings = self.stop.iter().flat_map(|stop| {
            stop.char_indices()
                .map(move |(at, _)| &stop[..at])
                .filter(|s| !s.is_empty())
        });
        beginnings
            .filter(|start| self.held.ends_with(start))
            .map(str::len)
            .max()
            .unwrap_or(0)
    }
}

fn cut_finish(met: String) -> Finish {
    Finish::new(FinishReason::StopSequence(met), "stop")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DialectId;
    use crate::canonical::{At, Usage};
    use crate::fold::Fold;

    fn streamed(pieces: &[&str]) -> Reply {
        let mut fold = Fold::new(DialectId::Responses);
        play(pieces, &mut fold);
        fold.finish().unwrap()
    }

    fn play(pieces: &[&str], sink: &mut dyn EventSink) {
        let at = At { choice: 0, part: 0 };
        sink.event(Event::Start {
            id: "r",
            model: "m",
            created: None,
        });
        sink.event(Event::PartStart {
            at,
            head: PartHead::Text,
        });
        for text in pieces {
            sink.event(Event::Text { at, text });
        }
        sink.event(Event::PartEnd { at });
        let finish = Finish::new(FinishReason::Stop, "completed");
        sink.event(Event::Finish {
            choice: 0,
            finish: &finish,
        });
        sink.event(Event::Usage(&Usage {
            output: Some(9),
            ..Usage::default()
        }));
        sink.event(Event::End);
    }

    fn cut(pieces: &[&str], stop: &[&str]) -> Reply {
        let stop: Vec<String> = stop.iter().map(|s| (*s).to_owned()).collect();
        let mut whole = streamed(&[&pieces.concat()]);
        StopCut::new(&stop).unwrap().reply(&mut whole);
        let mut cut = StopCut::new(&stop).unwrap();
        let mut fold = Fold::new(DialectId::Responses);
        play(pieces, &mut |event: Event<'_>| cut.event(event, &mut fold));
        let folded = fold.finish().unwrap();
        assert_eq!(folded, whole, "streamed and whole agree");
        folded
    }

    #[test]
    fn text_ends_before_the_first_stop_sequence_even_when_it_is_cut_across_pieces() {
        let reply = cut(&["one E", "N", "D two END"], &["END", "three"]);
        assert_eq!(reply.choices[0].parts[0].as_text(), Some("one "));
        let met = FinishReason::StopSequence("END".into());
        assert_eq!(reply.choices[0].finish.reason, met);
        assert_eq!(reply.usage.unwrap().output, Some(9));
    }

    #[test]
    fn text_without_a_stop_sequence_is_whole() {
        let reply = cut(&["one E", "Nd ü", "🎉 EN"], &["END", "🎉!"]);
        assert_eq!(reply.choices[0].parts[0].as_text(), Some("one ENd ü🎉 EN"));
        assert_eq!(reply.choices[0].finish.reason, FinishReason::Stop);
    }
}
