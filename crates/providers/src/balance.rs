//! Asks a vendor what is left on a key's account, where the vendor tells.

use http::Method;
use jiff::Timestamp;
use serde_json::Value;

use crate::transport::{Egress, Outbound};
use crate::{BaseUrl, RequestBody, Signer, Upstream, UpstreamFailure, UpstreamRequest};

const LONGEST: usize = 64 * 1024;
const NANO_DIGITS: usize = 9;

/// An amount on an account at a vendor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Balance {
    /// Billionths of the currency's unit.
    pub nanos: i64,
    /// The currency's three letters.
    pub currency: String,
}

/// Where a vendor tells, and how.
struct Source {
    provider: &'static str,
    /// Below the base URL, or below its host.
    path: &'static str,
    is_at_root: bool,
    read: fn(&Value) -> Option<Vec<Balance>>,
}

const SOURCES: [Source; 5] = [
    Source {
        provider: "deepseek",
        path: "/user/balance",
        is_at_root: true,
        read: deepseek,
    },
    Source {
        provider: "moonshot",
        path: "/users/me/balance",
        is_at_root: false,
        read: |answer| moonshot(answer, "USD"),
    },
    Source {
        provider: "moonshot-cn",
        path: "/users/me/balance",
        is_at_root: false,
        read: |answer| moonshot(answer, "CNY"),
    },
    Source {
        provider: "openrouter",
        path: "/credits",
        is_at_root: false,
        read: openrouter,
    },
    Source {
        provider: "siliconflow",
        path: "/user/info",
        is_at_root: false,
        read: siliconflow,
    },
];

/// Whether a vendor tells.
pub fn tells_balance(provider: &str) -> bool {
    SOURCES.iter().any(|source| source.provider == provider)
}

/// What is left, in each currency of the account. None: the vendor does not tell.
pub async fn fetch_balance(
    upstream: &Upstream,
    signer: &Signer,
    outbound: &Outbound,
    egress: &Egress,
    now: Timestamp,
) -> Result<Option<Vec<Balance>>, UpstreamFailure> {
    let provider = upstream.provider.id();
    let Some(source) = SOURCES.iter().find(|source| source.provider == provider) else {
        return Ok(None);
    };
    let target = address(&upstream.base, source).target(source.path);
    let target = target.map_err(|error| UpstreamFailure::gateway(&error.to_string()))?;
    let body = RequestBody::Whole(bytes::Bytes::new());
    let mut request = UpstreamRequest::new(Method::GET, target, body);
    signer
        .sign(&mut request, upstream, outbound, egress, || now)
        .await?;
    let reply = outbound.send(request, egress).await?;
    let (status, headers) = (reply.status, reply.headers);
    let body = reply.body.collect(LONGEST).await?;
    if !status.is_success() {
        return Err(UpstreamFailure::from_reply(status, &headers, &body, now));
    }
    let answer: Option<Value> = serde_json::from_slice(&body).ok();
    let balances = answer.as_ref().and_then(source.read);
    let unreadable = || UpstreamFailure::unusable("the balance cannot be read");
    balances.map(Some).ok_or_else(unreadable)
}

fn address(base: &BaseUrl, source: &Source) -> BaseUrl {
    if source.is_at_root {
        base.without_suffix(&["/v1", "/beta"])
    } else {
        base.clone()
    }
}

fn openrouter(answer: &Value) -> Option<Vec<Balance>> {
    let data = &answer["data"];
    let left = nanos(&data["total_credits"])?.checked_sub(nanos(&data["total_usage"])?)?;
    Some(vec![balance(left, "USD")])
}

fn deepseek(answer: &Value) -> Option<Vec<Balance>> {
    let infos = answer["balance_infos"].as_array()?.iter();
    let read = |info: &Value| {
        let currency = info["currency"].as_str()?;
        Some(balance(nanos(&info["total_balance"])?, currency))
    };
    infos.map(read).collect()
}

fn moonshot(answer: &Value, currency: &str) -> Option<Vec<Balance>> {
    let left = nanos(&answer["data"]["available_balance"])?;
    Some(vec![balance(left, currency)])
}

fn siliconflow(answer: &Value) -> Option<Vec<Balance>> {
    let left = nanos(&answer["data"]["totalBalance"])?;
    Some(vec![balance(left, "CNY")])
}

fn balance(nanos: i64, currency: &str) -> Balance {
    Balance {
        nanos,
        currency: currency.to_owned(),
    }
}

/// A decimal, as text or as a number, in billionths; what is smaller is cut off.
fn nanos(value: &Value) -> Option<i64> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        // The digits as they were sent, but for powers of ten.
        Value::Number(number) => match number.to_string() {
            text if text.contains(['e', 'E']) => format!("{:.9}", number.as_f64()?),
            text => text,
        },
        _ => return None,
    };
    let (digits, is_negative) = match text.strip_prefix('-') {
        Some(digits) => (digits, true),
        None => (text.as_str(), false),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(part) {
        return None;
    }
    let kept = &part[..part.len().min(NANO_DIGITS)];
    let nanos: i64 = format!("{whole}{kept:0<NANO_DIGITS$}").parse().ok()?;
    Some(if is_negative { -nanos } else { nanos })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn decimals_are_read_exactly() {
        for (value, expected) in [
            (json!("110.00"), Some(110_000_000_000)),
            (json!(2.5), Some(2_500_000_000)),
            (json!("-0.1234567899"), Some(-123_456_789)),
            (json!(7), Some(7_000_000_000)),
            (json!("0"), Some(0)),
            (json!(""), None),
            (json!("1,5"), None),
            (json!(null), None),
        ] {
            assert_eq!(nanos(&value), expected, "{value}");
        }
    }

    #[test]
    fn every_vendor_is_read_in_its_own_words() {
        type Read = fn(&Value) -> Option<Vec<Balance>>;
        let sources: [(Read, Value, Vec<Balance>); 4] = [
            (
                openrouter,
                json!({"data": {"total_credits": 10.5, "total_usage": 0.25}}),
                vec![balance(10_250_000_000, "USD")],
            ),
            (
                deepseek,
                json!({"is_available": true, "balance_infos": [
                    {"currency": "CNY", "total_balance": "110.00"},
                    {"currency": "USD", "total_balance": "1.50"}]}),
                vec![
                    balance(110_000_000_000, "CNY"),
                    balance(1_500_000_000, "USD"),
                ],
            ),
            (
                siliconflow,
                json!({"code": 20000, "data": {"balance": "0.88", "totalBalance": "88.88"}}),
                vec![balance(88_880_000_000, "CNY")],
            ),
            (
                |answer| moonshot(answer, "USD"),
                json!({"code": 0, "data": {"available_balance": 49.58894}}),
                vec![balance(49_588_940_000, "USD")],
            ),
        ];
        for (read, answer, expected) in sources {
            assert_eq!(read(&answer), Some(expected));
            assert_eq!(read(&json!({"error": "no"})), None);
        }
    }
}
