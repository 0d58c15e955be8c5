//! Whether a call may go on: the token's rights, and the worst case of its price set aside. Input
//! is first taken for its cheap bound and counted only where that does not fit; a cap that the
//! wallet cannot pay for is lowered to what it can.

use billing::pricing::{Bounds, Multiplier, PricingError, affordable_output, worst_case};
use billing::wallet::{Request, Reservation, ReserveError};
use dialects::canonical::{Failure, FailureKind};

use super::call::Call;
use super::extra::ExtraRules;
use super::refusals;
use super::settle::{Price, Settlement};
use super::task::Task;
use crate::app::App;
use crate::config::Unpriced;
use crate::tokens::Holder;

/// Checks what the token may do, before anything is looked up.
pub fn check_rights(holder: &Holder, call: &Call) -> Result<(), Failure> {
    check_address(holder, call)?;
    if !holder.may_call(call.endpoint) {
        return Err(forbidden("This API key may not use this endpoint."));
    }
    Ok(())
}

/// Checks that the token may be used from where the call comes from.
pub fn check_address(holder: &Holder, call: &Call) -> Result<(), Failure> {
    if holder.may_come_from(call.caller.address) {
        return Ok(());
    }
    Err(forbidden("This API key may not be used from this address."))
}

fn forbidden(text: &str) -> Failure {
    Failure::new(FailureKind::Forbidden, text)
}

/// Checks that the token may use the model.
pub fn check_model(holder: &Holder, model: &str) -> Result<(), Failure> {
    if holder.may_use(model) {
        return Ok(());
    }
    Err(refusals::not_this_model(model))
}

/// Sets the worst case of the call aside. The price is that of the first place; a call is not
/// dearer because its first channel failed.
pub async fn reserve(
    app: &App,
    task: &mut dyn Task,
    settlement: &mut Settlement,
    now_ms: i64,
) -> Result<(), Failure> {
    let Some(mut bounds) = task.bounds() else {
        return Ok(());
    };
    let price = price(app, task.model(), settlement, now_ms)?;
    if allow_extra(app, task, settlement, price.as_ref())?
        && let Some(with_extra) = task.bounds()
    {
        bounds = with_extra;
    }
    let Some(price) = price else {
        return Ok(());
    };
    let purse = Purse {
        app,
        now_ms,
        holder: &settlement.known().holder.clone(),
        price: &price,
    };
    let mut short = match purse.hold(&bounds).await? {
        Ok(held) => {
            settlement.hold(price, held);
            return Ok(());
        }
        Err(short) => short,
    };
    // Counting takes time: only where fewer input tokens could help at all.
    if purse.affords_without_input(&bounds, &short)
        && task.count_input().await
        && let Some(bounds) = task.bounds()
        && purse.affords(&bounds, &short)?
    {
        short = match purse.hold(&bounds).await? {
            Ok(held) => {
                settlement.hold(price, held);
                return Ok(());
            }
            Err(short) => short,
        };
    }
    let held = purse.hold_less(task, short).await?;
    settlement.hold(price, held);
    Ok(())
}

/// Decides on charges in addition to tokens. Returns whether there are any.
fn allow_extra(
    app: &App,
    task: &mut dyn Task,
    settlement: &Settlement,
    price: Option<&Price>,
) -> Result<bool, Failure> {
    let open = settlement.known();
    let billing = &app.config().billing;
    task.allow_extra(&ExtraRules {
        sheet: price.map(|price| &*price.sheet),
        upstream_model: open.place.as_ref().map(|place| &*place.upstream_model),
        is_open: open.holder.allows_hosted_tools,
        uses: billing.hosted_tool_uses.into(),
        tokens: billing.hosted_tool_tokens.into(),
    })
}

/// What the model costs the caller. None: it has no price, and the operator allows that.
fn price(
    app: &App,
    model: &str,
    settlement: &Settlement,
    now_ms: i64,
) -> Result<Option<Price>, Failure> {
    let open = settlement.known();
    let upstream = open.place.as_ref().map(|place| &*place.upstream_model);
    match app.prices().book().find_sheet(model, upstream, now_ms) {
        Some(sheet) => Ok(Some(Price {
            sheet,
            multiplier: Multiplier::of_millionths(open.holder.multiplier_ppm)
                .unwrap_or(Multiplier::ONE),
        })),
        None if app.config().billing.unpriced == Unpriced::Free => Ok(None),
        None => Err(refusals::no_price(model)),
    }
}

/// What a wallet can give at most, where it cannot give all.
#[derive(Clone, Copy)]
struct Short {
    affordable_nanos: i64,
    is_bound_by_budget: bool,
}

impl Short {
    fn refusal(self) -> Failure {
        refusals::not_enough(self.is_bound_by_budget)
    }
}

/// Whose money, for what price, and when the call asked for it.
struct Purse<'a> {
    app: &'a App,
    now_ms: i64,
    holder: &'a Holder,
    price: &'a Price,
}

impl Purse<'_> {
    fn worst_case(&self, bounds: &Bounds) -> Result<i64, Failure> {
        let Price { sheet, multiplier } = self.price;
        worst_case(sheet, *multiplier, bounds).map_err(|error| match error {
            PricingError::Unpriced => refusals::no_price_for_this(),
            PricingError::OutOfRange => refusals::too_dear(),
        })
    }

    /// Whether the worst case is within what can be had; what is not need not be asked for.
    fn affords(&self, bounds: &Bounds, short: &Short) -> Result<bool, Failure> {
        Ok(self.worst_case(bounds)? <= short.affordable_nanos)
    }

    /// Whether anything could be said if there were no input to pay for.
    fn affords_without_input(&self, bounds: &Bounds, short: &Short) -> bool {
        let Price { sheet, multiplier } = self.price;
        let bounds = Bounds {
            input: 0,
            ..bounds.clone()
        };
        let affords = affordable_output(sheet, *multiplier, &bounds, short.affordable_nanos);
        let is_enough = |output: u64| output > 0 || bounds.output == 0;
        affords.is_ok_and(|affords| affords.is_some_and(is_enough))
    }

    /// Sets the worst case of these bounds aside.
    async fn hold(&self, bounds: &Bounds) -> Result<Result<Reservation, Short>, Failure> {
        let amount = self.worst_case(bounds)?;
        let budgets = self.holder.budgets(self.now_ms);
        let request = Request {
            user: self.holder.user_id,
            budgets: &budgets,
            amount_nanos: amount,
        };
        match self.app.wallets().reserve(request).await {
            Ok(reservation) => Ok(Ok(reservation)),
            Err(ReserveError::NotEnough {
                affordable_nanos,
                is_bound_by_budget,
            }) => Ok(Err(Short {
                affordable_nanos,
                is_bound_by_budget,
            })),
            Err(error) => Err(refusals::not_reserved(&error)),
        }
    }

    /// Lowers the cap to what can be had, and sets that aside.
    async fn hold_less(&self, task: &mut dyn Task, short: Short) -> Result<Reservation, Failure> {
        let Price { sheet, multiplier } = self.price;
        let bounds = task.bounds().ok_or_else(|| short.refusal())?;
        let affords = affordable_output(sheet, *multiplier, &bounds, short.affordable_nanos);
        let affords = affords.ok().flatten().unwrap_or(0);
        if affords == 0 || affords >= bounds.output || !task.lower_cap(affords) {
            return Err(short.refusal());
        }
        let bounds = task.bounds().ok_or_else(|| short.refusal())?;
        let held = self.hold(&bounds).await?;
        held.map_err(Short::refusal)
    }
}
