//! How a call asks the mock to misbehave: by `name=number` segments at the front of its path, as in
//! `/errors=10/v1/chat/completions`. So the base address of a channel is all that it takes, and one
//! mock serves every workload of a run without a restart.

/// Content events of a stream that asks for no other number.
pub(super) const EVENTS: usize = 64;

/// What one call asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Switches {
    /// Milliseconds before the first byte.
    pub delay_ms: u64,
    /// Of a hundred calls, how many are answered with 500.
    pub errors: u64,
    /// Milliseconds between two events of a stream.
    pub pace_ms: u64,
    /// Content events of a stream.
    pub events: usize,
}

impl Switches {
    /// Splits a path into its switches and the path proper.
    pub fn read(path: &str) -> (Self, &str) {
        let mut switches = Self {
            delay_ms: 0,
            errors: 0,
            pace_ms: 0,
            events: EVENTS,
        };
        let mut rest = path;
        while let Some((segment, after)) = rest.trim_start_matches('/').split_once('/') {
            let Some((name, Ok(number))) = segment
                .split_once('=')
                .map(|(name, value)| (name, value.parse::<u32>()))
            else {
                break;
            };
            match name {
                "delay" => switches.delay_ms = number.into(),
                "errors" => switches.errors = number.into(),
                "pace" => switches.pace_ms = number.into(),
                "events" => switches.events = usize::try_from(number).unwrap_or(EVENTS),
                _ => break,
            }
            rest = after;
        }
        (switches, rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plain_path_has_no_switches() {
        let (switches, rest) = Switches::read("/v1/chat/completions");
        assert_eq!((switches.errors, switches.events), (0, EVENTS));
        assert!(rest.ends_with("v1/chat/completions"));
    }

    #[test]
    fn switches_stand_before_the_path_in_any_order() {
        let (switches, rest) = Switches::read("/events=9/pace=500/errors=10/delay=3/v1/messages");
        let wanted = Switches {
            delay_ms: 3,
            errors: 10,
            pace_ms: 500,
            events: 9,
        };
        assert_eq!((switches, rest), (wanted, "v1/messages"));
    }
}
