//! Gateways that speak the EPay protocol, through which Alipay and WeChat Pay are taken: a signed link to their page, a
//! signed notice to our door (`epay_notice.rs`), and a question after an order.

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use http::Method;
use providers::{BaseUrl, RequestBody, UpstreamRequest};
use serde_json::Value;
use store::top_ups::Order;

use super::api_call;
use super::epay_notice::{paid, sign};
use super::event::PaymentEvent;
use super::form::encode;
use super::orders::hundredths;
use super::provider::{Checkout, PaymentProvider, ProviderFailure, Surroundings, Tender};
use crate::config::{EpayConfig, Secret};

/// The path of the door for its notices.
pub const NOTICES: &str = "/pay/epay";

/// A gateway of this kind.
#[derive(Debug)]
pub struct Epay;

impl PaymentProvider for Epay {
    fn id(&self) -> &'static str {
        "epay"
    }

    fn label(&self) -> &'static str {
        "Alipay, WeChat Pay (EPay)"
    }

    fn reads_settings(&self) -> bool {
        false
    }

    fn is_offered(&self, around: &Surroundings<'_>) -> bool {
        let epay = &around.config.epay;
        epay.key.is_some() && epay.per_usd.is_some()
    }

    fn tender(&self, around: &Surroundings<'_>) -> Tender {
        let epay = &around.config.epay;
        Tender {
            currency: epay.currency.clone(),
            per_usd: epay.per_usd.unwrap_or_default(),
        }
    }

    /// Its notices do not say.
    fn livemode(&self, _: &Surroundings<'_>) -> Option<bool> {
        None
    }

    fn open_checkout<'a>(
        &'a self,
        around: &'a Surroundings<'a>,
        order: &'a Order,
        base_url: &'a str,
    ) -> BoxFuture<'a, Result<Checkout, ProviderFailure>> {
        // The gateway knows an order by our id alone.
        let checkout = link(&around.config.epay, order, base_url).map(|url| Checkout {
            session_id: order.id.clone(),
            url,
        });
        async move { checkout }.boxed()
    }

    fn ask<'a>(
        &'a self,
        around: &'a Surroundings<'a>,
        session_id: &'a str,
    ) -> BoxFuture<'a, Result<Option<PaymentEvent>, ProviderFailure>> {
        async move {
            let (status, order) =
                api_call::call(around.app, || question(&around.config.epay, session_id)).await?;
            if !status.is_success() {
                return Err(ProviderFailure::Refused(status.as_u16().to_string()));
            }
            let now_s = around.app.clock().now().as_second();
            Ok(answer(&around.config.epay, &order, now_s))
        }
        .boxed()
    }

    /// It tells of payments only, and each order is asked about.
    fn history<'a>(
        &'a self,
        _: &'a Surroundings<'a>,
        _: i64,
    ) -> BoxFuture<'a, Result<Vec<PaymentEvent>, ProviderFailure>> {
        async { Ok(Vec::new()) }.boxed()
    }
}

/// Where the payer goes.
fn link(epay: &EpayConfig, order: &Order, base_url: &str) -> Result<String, ProviderFailure> {
    let (address, pid, key) = merchant(epay)?;
    let name = format!(
        "API credit {} USD",
        hundredths(order.credit_nanos / 10_000_000)
    );
    let money = hundredths(order.amount_minor);
    let notices = format!("{base_url}{NOTICES}");
    let wallet = format!("{base_url}/console/wallet?order={}", order.id);
    let mut fields = vec![
        ("pid", pid),
        ("out_trade_no", &order.id),
        ("notify_url", &notices),
        ("return_url", &wallet),
        ("name", &name),
        ("money", &money),
    ];
    fields.extend(epay.method.as_deref().map(|method| ("type", method)));
    let signature = sign(fields.iter().copied(), key);
    fields.extend([("sign", signature.as_str()), ("sign_type", "MD5")]);
    Ok(format!("{address}/submit.php?{}", encode(&fields)))
}

fn merchant(epay: &EpayConfig) -> Result<(&str, &str, &Secret), ProviderFailure> {
    let unset = || ProviderFailure::Refused("it is not configured".to_owned());
    let address = epay.address.as_deref().ok_or_else(unset)?;
    let pid = epay.pid.as_deref().ok_or_else(unset)?;
    let key = epay.key.as_ref().ok_or_else(unset)?;
    Ok((address.trim_end_matches('/'), pid, key))
}

fn question(epay: &EpayConfig, order_id: &str) -> Result<UpstreamRequest, ProviderFailure> {
    let (address, pid, key) = merchant(epay)?;
    let fields = [
        ("act", "order"),
        ("pid", pid),
        ("key", key.expose()),
        ("out_trade_no", order_id),
    ];
    let path = format!("/api.php?{}", encode(&fields));
    let target = BaseUrl::parse(address).and_then(|base| base.target(&path));
    let target = target.map_err(|error| ProviderFailure::Unreachable(error.to_string()))?;
    let nothing = RequestBody::Whole(bytes::Bytes::new());
    Ok(UpstreamRequest::new(Method::GET, target, nothing))
}

/// What the answer says; none where nobody has paid, or opened the page at all.
fn answer(epay: &EpayConfig, order: &Value, now_s: i64) -> Option<PaymentEvent> {
    // Some of these gateways write their numbers as text.
    let text = |name: &str| match &order[name] {
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        _ => String::new(),
    };
    if text("code") != "1" || text("status") != "1" {
        return None;
    }
    let (order_id, trade) = (text("out_trade_no"), text("trade_no"));
    paid(epay, &order_id, &trade, &text("money"), now_s)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_a_paid_order_is_an_event_and_numbers_may_be_text() {
        let epay = EpayConfig::default();
        let order = json!({"code": 1, "status": "1", "out_trade_no": "ord_1",
            "trade_no": "2026", "money": "7.20"});
        let event = answer(&epay, &order, 5).unwrap();
        assert_eq!(event.order_id.as_deref(), Some("ord_1"));
        assert_eq!(event.payment_id.as_deref(), Some("2026"));
        for (field, value) in [
            ("code", json!(-1)),
            ("status", json!(0)),
            ("money", json!("7.205")),
            ("trade_no", json!("")),
        ] {
            let mut other = order.clone();
            other[field] = value;
            assert_eq!(answer(&epay, &other, 5), None, "{other}");
        }
    }
}
