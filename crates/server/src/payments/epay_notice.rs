//! Notices of an EPay gateway: fields of a form, signed with the MD5 sum of them and the merchant's key.

use std::collections::BTreeMap;

use md5::{Digest as _, Md5};
use subtle::ConstantTimeEq as _;

use super::epay::Epay;
use super::event::{Happening, PaymentEvent};
use super::fulfil::Verdict;
use super::provider::Surroundings;
use super::receive::{Refused, act_on};
use super::signature::BadSignature;
use crate::app::App;
use crate::config::{Dollars, EpayConfig, Secret};

/// The longest id of a payment that is believed.
const LONGEST_ID: usize = 128;
const NANOS_PER_MINOR_UNIT: i64 = 10_000_000;

/// Checks a notice and acts on it, once.
pub async fn receive_notice(app: &App, form: &str, address: &str) -> Result<Verdict, Refused> {
    let around = Surroundings::of(app, &Epay).await?;
    let now_s = app.clock().now().as_second();
    let checked = read(&around.config.epay, form, now_s);
    act_on(&around, &Epay, checked, form.as_bytes(), address).await
}

/// The signature of fields: those that say something, by name, with the key behind them.
pub fn sign<'a>(fields: impl Iterator<Item = (&'a str, &'a str)>, key: &Secret) -> String {
    let says =
        |(name, value): &(&str, &str)| !matches!(*name, "sign" | "sign_type") && !value.is_empty();
    let mut fields: Vec<_> = fields.filter(says).collect();
    fields.sort_unstable();
    let said: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    let mut sum = Md5::new();
    sum.update(said.join("&"));
    sum.update(key.expose());
    hex::encode(sum.finalize())
}

fn read(epay: &EpayConfig, form: &str, now_s: i64) -> Result<PaymentEvent, Refused> {
    let mut fields = BTreeMap::new();
    for (name, value) in form_urlencoded::parse(form.as_bytes()) {
        // Which of two would be signed, and which believed?
        if fields.insert(name, value).is_some() {
            return Err(Refused::NotAnEvent);
        }
    }
    let field = |name: &str| fields.get(name).map_or("", AsRef::as_ref);
    if field("sign").is_empty() {
        return Err(Refused::Unsigned);
    }
    let key = epay.key.as_ref().ok_or(Refused::NotConfigured)?;
    let all = fields
        .iter()
        .map(|(name, value)| (name.as_ref(), value.as_ref()));
    let is_right = sign(all, key).as_bytes().ct_eq(field("sign").as_bytes());
    if !bool::from(is_right) {
        return Err(BadSignature::Mismatch.into());
    }
    if field("trade_status") != "TRADE_SUCCESS" || Some(field("pid")) != epay.pid.as_deref() {
        return Err(Refused::NotAnEvent);
    }
    let (order, trade, money) = (field("out_trade_no"), field("trade_no"), field("money"));
    paid(epay, order, trade, money, now_s).ok_or(Refused::NotAnEvent)
}

/// The event of a payment, told or asked about; none where it does not name one.
pub fn paid(
    epay: &EpayConfig,
    order_id: &str,
    trade: &str,
    money: &str,
    now_s: i64,
) -> Option<PaymentEvent> {
    let nanos = money.parse::<Dollars>().ok()?.nanos();
    let is_whole = nanos % NANOS_PER_MINOR_UNIT == 0;
    let is_id = |text: &str| (1..=LONGEST_ID).contains(&text.len());
    let is_named = is_id(order_id) && is_id(trade);
    (is_whole && is_named).then(|| PaymentEvent {
        // One however it comes to us, so that it counts once.
        id: trade.to_owned(),
        event_type: "TRADE_SUCCESS".to_owned(),
        created_s: now_s,
        livemode: None,
        order_id: Some(order_id.to_owned()),
        session_id: Some(order_id.to_owned()),
        payment_id: Some(trade.to_owned()),
        happening: Happening::Paid {
            amount_minor: nanos / NANOS_PER_MINOR_UNIT,
            currency: epay.currency.clone(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_say_something_are_signed_by_name() {
        let fields = [
            ("pid", "1001"),
            ("money", "1.00"),
            ("empty", ""),
            ("sign", "whatever"),
            ("sign_type", "MD5"),
        ];
        // printf 'money=1.00&pid=1001secret' | md5sum
        assert_eq!(
            sign(fields.into_iter(), &Secret::new("secret")),
            "db2367d18af244cca18fd9ca6ad7b6e1"
        );
    }
}
