//! Whether a call may go on: the token's rights, the model's price, and a reservation of the worst
//! case from the wallet. A cap that the wallet cannot pay for is lowered to what it can.

use billing::pricing::{
    Bounds, Multiplier, OtherUnits, PriceSheet, TokenKinds, affordable_output, worst_case,
};
use dialects::canonical::{Failure, FailureKind, Request};
use store::ledger::{Account, balance};
use store::{StoreError, reservations};

use super::call::Call;
use crate::app::App;
use crate::channels::Place;
use crate::prices;
use crate::tokens::Holder;

/// What an answer may be at most where neither client nor model says.
const DEFAULT_OUTPUT: u64 = 4096;
/// A reservation is given back after this long where its call never came to an end.
const HELD_FOR_MS: i64 = 600_000;

/// What a call was admitted with.
#[derive(Debug)]
pub struct Admission {
    /// What the model costs.
    pub sheet: PriceSheet,
    /// The multiplier of the holder's group.
    pub multiplier: Multiplier,
    /// How much is held for it.
    pub held_nanos: i64,
}

/// Checks what the token may do, before anything is looked up.
pub fn check_rights(holder: &Holder, call: &Call) -> Result<(), Failure> {
    let refused = |text: &str| Err(Failure::new(FailureKind::Forbidden, text));
    if !holder.may_come_from(call.caller.address) {
        return refused("This API key may not be used from this address.");
    }
    if !holder.may_call(call.endpoint) {
        return refused("This API key may not use this endpoint.");
    }
    Ok(())
}

/// Checks that the token may use the model.
pub fn check_model(holder: &Holder, model: &str) -> Result<(), Failure> {
    if holder.may_use(model) {
        return Ok(());
    }
    let text = format!("This API key may not use the model `{model}`.");
    Err(Failure {
        param: Some("model".to_owned()),
        ..Failure::new(FailureKind::Forbidden, text)
    })
}

/// Reserves the worst case of a call, and lowers its cap to what the wallet affords.
pub async fn reserve(
    app: &App,
    call: &Call,
    holder: &Holder,
    place: &Place,
    request: &mut Request,
    input: u64,
) -> Result<Admission, Failure> {
    let sheet = prices::sheet(&app.config(), &request.model, place).ok_or_else(|| {
        let text = format!("The model `{}` has no price.", request.model);
        Failure::new(FailureKind::ModelNotFound, text)
    })?;
    let multiplier = Multiplier::of_millionths(holder.multiplier_ppm).unwrap_or(Multiplier::ONE);
    let choices = u64::from(request.choices.unwrap_or(1).max(1));
    let output = request
        .max_output
        .unwrap_or(DEFAULT_OUTPUT)
        .saturating_mul(choices);
    let mut bounds = Bounds {
        input,
        output,
        kinds: TokenKinds::TEXT,
        other: OtherUnits {
            calls: 1,
            ..OtherUnits::default()
        },
    };
    let mut amount = worst_case(&sheet, multiplier, &bounds).map_err(|_| too_dear())?;
    if !hold(app, call, holder, amount).await? {
        let wallet = Account::Wallet(holder.user_id);
        let has = balance(app.store().read(), wallet)
            .await
            .map_err(|error| away(&error))?;
        let affords = affordable_output(&sheet, multiplier, &bounds, has);
        let affords = affords.ok().flatten().unwrap_or(0) / choices;
        if affords == 0 {
            return Err(spent());
        }
        request.max_output = Some(affords);
        bounds.output = affords * choices;
        amount = worst_case(&sheet, multiplier, &bounds).map_err(|_| too_dear())?;
        if !hold(app, call, holder, amount).await? {
            return Err(spent());
        }
    }
    Ok(Admission {
        sheet,
        multiplier,
        held_nanos: amount,
    })
}

/// Holds an amount for the call; false where the wallet has less.
async fn hold(app: &App, call: &Call, holder: &Holder, amount: i64) -> Result<bool, Failure> {
    if amount == 0 {
        return Ok(true);
    }
    let now = app.clock().now_ms();
    let id = &call.caller.request_id;
    let held = async {
        let transaction = app.store().write().await?;
        let until = now + HELD_FOR_MS;
        reservations::open(&transaction, id, holder.user_id, amount, now, until).await?;
        transaction.commit().await.map_err(StoreError::from)
    };
    match held.await {
        Ok(()) => Ok(true),
        Err(StoreError::InsufficientFunds(_)) => Ok(false),
        Err(error) => Err(away(&error)),
    }
}

fn spent() -> Failure {
    let text = "The balance does not cover this call. Top up, or ask for fewer tokens.";
    Failure::new(FailureKind::NoBalance, text)
}

fn too_dear() -> Failure {
    Failure::bad_request(
        "max_tokens",
        "This call could cost more than can be counted.",
    )
}

pub(super) fn away(error: &StoreError) -> Failure {
    tracing::error!(%error, "the records cannot be reached");
    let text = "The gateway cannot reach its records right now.";
    Failure::new(FailureKind::Overloaded, text)
}
