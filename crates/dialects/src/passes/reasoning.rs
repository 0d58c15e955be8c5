//! Reasoning: efforts, budgets, levels, and what has to give way when a model thinks.

use super::{Dropped, Target, turns};
use crate::DialectId;
use crate::canonical::{
    ChoiceMode, Effort, Failure, PartKind, Reasoning, ReasoningMode, ReasoningShow, Request, Role,
};
use crate::capabilities::ThinkingStyle;

/// The smallest budget that messages takes.
const MIN_BUDGET: u64 = 1024;

/// Says the client's wish in the way that the target's model is told.
pub(super) fn fit(
    request: &mut Request,
    target: &Target,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    request.reasoning.extra.clear();
    if request.reasoning == Reasoning::default() {
        return Ok(());
    }
    match target.can.thinking {
        ThinkingStyle::None => {
            if request.reasoning.mode != ReasoningMode::Off {
                dropped.note("reasoning")?;
            }
            request.reasoning = Reasoning::default();
        }
        ThinkingStyle::Effort | ThinkingStyle::Level | ThinkingStyle::Adaptive => {
            by_effort(request, target);
        }
        ThinkingStyle::Budget => by_budget(request, target),
    }
    if target.dialect == DialectId::Messages {
        make_room(request, target, dropped)?;
    }
    Ok(())
}

fn by_effort(request: &mut Request, target: &Target) {
    let can = &target.can;
    let reasoning = &mut request.reasoning;
    let wish = match (
        reasoning.mode,
        reasoning.effort.take(),
        reasoning.budget.take(),
    ) {
        (ReasoningMode::Off, ..) => Some(Effort::None),
        (_, Some(effort), _) => Some(effort),
        (_, None, Some(budget)) => Some(effort_of(budget)),
        (ReasoningMode::Auto, None, None) if target.dialect == DialectId::Messages => None,
        // A client that leaves it to the model means what messages calls high.
        (ReasoningMode::On, None, None) => Some(Effort::High),
        (ReasoningMode::Auto | ReasoningMode::Unset, None, None) => None,
    };
    match wish {
        Some(Effort::None) => switch_off(reasoning, target),
        Some(effort) => {
            reasoning.effort = can.nearest_effort(&effort);
            if reasoning.effort == Some(Effort::None) {
                reasoning.effort = can.efforts.get(1).map(|word| Effort::read(word));
            }
            reasoning.mode = match target.dialect {
                DialectId::Messages => ReasoningMode::Auto,
                _ => ReasoningMode::On,
            };
        }
        // A level has no word for it: what the model does where nothing is said.
        None if can.thinking == ThinkingStyle::Level && reasoning.mode == ReasoningMode::Auto => {
            reasoning.mode = ReasoningMode::On;
        }
        None => {}
    }
}

/// Off, or as little as the model can.
fn switch_off(reasoning: &mut Reasoning, target: &Target) {
    if target.can.thinking_off {
        reasoning.mode = ReasoningMode::Off;
        reasoning.effort = match target.dialect {
            DialectId::ChatCompletions | DialectId::Responses => Some(Effort::None),
            _ => None,
        };
    } else {
        reasoning.mode = ReasoningMode::On;
        reasoning.effort = target.can.efforts.first().map(|word| Effort::read(word));
        // Who wants no thoughts does not want to see them either.
        reasoning.show = ReasoningShow::None;
    }
}

fn by_budget(request: &mut Request, target: &Target) {
    let can = &target.can;
    let reasoning = &mut request.reasoning;
    let wish = match (reasoning.mode, reasoning.effort.take(), reasoning.budget) {
        (ReasoningMode::Off, ..) | (_, Some(Effort::None), _) => Some(0),
        (_, _, Some(budget)) => Some(budget),
        (_, Some(effort), None) => Some(budget_of(&effort)),
        (ReasoningMode::Auto | ReasoningMode::On, None, None)
            if target.dialect == DialectId::Messages =>
        {
            Some(budget_of(&Effort::High))
        }
        _ => None,
    };
    let Some(wish) = wish else { return };
    let (least, most) = can.budget.unwrap_or((MIN_BUDGET, u64::MAX));
    if wish == 0 && can.thinking_off {
        (reasoning.mode, reasoning.budget) = (ReasoningMode::Off, None);
        return;
    }
    reasoning.mode = ReasoningMode::On;
    reasoning.budget = Some(wish.clamp(least, most));
    if wish == 0 {
        reasoning.show = ReasoningShow::None;
    }
}

/// Messages: the budget is part of the output cap, and thinking excludes other wishes.
fn make_room(request: &mut Request, target: &Target, dropped: &mut Dropped) -> Result<(), Failure> {
    if let (Some(budget), Some(cap)) = (request.reasoning.budget, request.max_output) {
        let budget = budget.min(cap.saturating_sub(1));
        if budget < MIN_BUDGET {
            request.reasoning = Reasoning::default();
            dropped.note("reasoning")?;
        } else {
            request.reasoning.budget = Some(budget);
        }
    } else if let Some(budget) = request.reasoning.budget {
        request.max_output = Some(budget + 4096);
    }
    let thinks = matches!(
        request.reasoning.mode,
        ReasoningMode::On | ReasoningMode::Auto
    );
    let forced = matches!(
        request.tool_choice.mode,
        Some(ChoiceMode::Required | ChoiceMode::Named(_))
    );
    if thinks && (forced || turns::is_prefill(request) || lost_thought(request)) {
        request.reasoning = Reasoning::default();
        return dropped.note("reasoning");
    }
    if thinks && target.can.sampling {
        drop_sampling(request, dropped)?;
    }
    Ok(())
}

/// The last answer called a tool and its thought is gone: with thinking on the vendor refuses that.
pub(super) fn lost_thought(request: &Request) -> bool {
    let last = request
        .turns
        .iter()
        .rev()
        .find(|turn| turn.role == Role::Assistant);
    last.is_some_and(|turn| {
        let has = |test: fn(&PartKind) -> bool| turn.parts.iter().any(|part| test(&part.kind));
        has(|kind| matches!(kind, PartKind::ToolCall(_)))
            && !has(|kind| matches!(kind, PartKind::Thinking(_)))
    })
}

fn drop_sampling(request: &mut Request, dropped: &mut Dropped) -> Result<(), Failure> {
    let sampling = &mut request.sampling;
    let is_one = |number: &serde_json::Number| number.as_f64() == Some(1.0);
    if sampling.temperature.as_ref().is_some_and(|t| !is_one(t)) {
        sampling.temperature = None;
        dropped.note("temperature")?;
    }
    if sampling
        .top_p
        .as_ref()
        .is_some_and(|p| p.as_f64().is_some_and(|p| p < 0.95))
    {
        sampling.top_p = None;
        dropped.note("top_p")?;
    }
    if sampling.top_k.take().is_some() {
        dropped.note("top_k")?;
    }
    Ok(())
}

/// Whether the client wants to see thoughts, as far as it said.
pub(super) fn shows(reasoning: &Reasoning) -> bool {
    reasoning.show != ReasoningShow::None
}

/// The budget that an effort stands for.
fn budget_of(effort: &Effort) -> u64 {
    match effort {
        Effort::None => 0,
        Effort::Minimal => 1024,
        Effort::Low => 2048,
        Effort::Medium | Effort::Other(_) => 8192,
        Effort::High => 16384,
        Effort::ExtraHigh => 24576,
        Effort::Max => 32768,
    }
}

/// The effort that a budget stands for.
fn effort_of(budget: u64) -> Effort {
    match budget {
        0 => Effort::None,
        1..=1024 => Effort::Minimal,
        1025..=4096 => Effort::Low,
        4097..=12288 => Effort::Medium,
        12289..=20480 => Effort::High,
        20481..=28672 => Effort::ExtraHigh,
        _ => Effort::Max,
    }
}
