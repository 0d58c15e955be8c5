//! The gateway's own reasons to refuse a call, in words that a client can use.

use billing::wallet::ReserveError;
use dialects::canonical::{Failure, FailureKind};
use store::StoreError;

use crate::body_memory::BodyMemoryError;
use crate::refusal::Refusal;
use crate::work_pool::JobError;

/// The wallet does not cover the call, or a budget of the token or the user does not.
pub fn not_enough(is_bound_by_budget: bool) -> Failure {
    let text = if is_bound_by_budget {
        "The budget of this API key or its user is spent. Raise it, wait for its next period, or \
         ask for fewer tokens."
    } else {
        "The balance does not cover this call. Top up, or ask for fewer tokens."
    };
    Failure::new(FailureKind::NoBalance, text)
}

/// The most that a call may cost is beyond all amounts.
pub fn too_dear() -> Failure {
    let text = "This call could cost more than can be counted.";
    Failure::bad_request("max_tokens", text)
}

/// Nobody has said what the model costs.
pub fn no_price(model: &str) -> Failure {
    let text = format!("The model `{model}` has no price.");
    about_model(Failure::new(FailureKind::ModelNotFound, text))
}

/// The model has a price, but none for anything that the call would use.
pub fn no_price_for_this() -> Failure {
    let text = "The model has no price for what is asked of it.";
    about_model(Failure::new(FailureKind::ModelNotFound, text))
}

/// The token may not use the model.
pub fn not_this_model(model: &str) -> Failure {
    let text = format!("This API key may not use the model `{model}`.");
    about_model(Failure::new(FailureKind::Forbidden, text))
}

/// The channel of a session that is open does not serve the model.
pub fn not_in_this_session(model: &str) -> Failure {
    let text = format!(
        "This session cannot be written by the model `{model}`: open another with \
         `?intent=transcription&model=` and its name."
    );
    about_model(Failure::new(FailureKind::ModelNotFound, text))
}

/// The records do not answer.
pub fn records_away(error: &StoreError) -> Failure {
    tracing::error!(%error, "the records cannot be reached");
    let text = "The gateway cannot reach its records right now.";
    Failure::new(FailureKind::Overloaded, text)
}

/// Money could not be set aside.
pub fn not_reserved(error: &ReserveError) -> Failure {
    match error {
        ReserveError::NotEnough {
            is_bound_by_budget, ..
        } => not_enough(*is_bound_by_budget),
        ReserveError::Unavailable(error) => records_away(error),
    }
}

/// A call that was not authenticated has come where only others may be.
pub fn no_holder() -> Failure {
    Failure::new(
        FailureKind::Internal,
        "The gateway does not know who calls.",
    )
}

/// Somebody has switched the channel off in the middle of a call.
pub fn switched_off() -> Failure {
    Failure::upstream("The upstream was switched off.")
}

/// The upstream's answer makes no sense.
pub fn unusable_answer() -> Failure {
    Failure::upstream("The upstream's answer cannot be used.")
}

/// A charge could not be written: the answer must not reach the client as if nothing had happened.
pub fn not_written() -> Failure {
    let text = "The gateway could not write down this call.";
    Failure::new(FailureKind::Overloaded, text)
}

/// There is no memory for a body.
pub fn no_body_memory(error: BodyMemoryError) -> Failure {
    Refusal::from(error).as_failure()
}

/// A long computation has no result.
pub fn no_work_done(error: JobError) -> Failure {
    match error {
        JobError::QueueFull => {
            let text = "The gateway has too many large requests waiting; try again later.";
            Failure {
                retry_after_ms: Some(1000),
                ..Failure::new(FailureKind::Overloaded, text)
            }
        }
        JobError::Aborted => Refusal::Internal.as_failure(),
    }
}

fn about_model(failure: Failure) -> Failure {
    Failure {
        param: Some("model".to_owned()),
        ..failure
    }
}
