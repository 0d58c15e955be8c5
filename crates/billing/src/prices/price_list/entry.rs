//! One entry of a price list as a price sheet. Dollars per token become exact rates; a price of zero
//! means "not known" there, so that no model is free by accident.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::pricing::{PriceSheet, Rate, Tier};

const INPUT: &str = "input_cost_per_token";
const OUTPUT: &str = "output_cost_per_token";
const CACHE_READ: &str = "cache_read_input_token_cost";
const CACHE_WRITE_5M: &str = "cache_creation_input_token_cost";
const CACHE_WRITE_1H: &str = "cache_creation_input_token_cost_above_1hr";
const AUDIO_INPUT: &str = "input_cost_per_audio_token";
/// What may cost more for long contexts.
const TIERED: [&str; 6] = [
    INPUT,
    OUTPUT,
    CACHE_READ,
    CACHE_WRITE_5M,
    CACHE_WRITE_1H,
    AUDIO_INPUT,
];

/// Fields of an entry.
pub(super) type Entry = Map<String, Value>;

/// The sheet of an entry; an empty one where nothing is priced. The error names the field.
pub(super) fn sheet_of(entry: &Entry) -> Result<PriceSheet, String> {
    let first = first_step(entry);
    let price = |field: &str| match rate(entry, field)? {
        Some(rate) => Ok(Some(rate)),
        None => first.map_or(Ok(None), |step| rate(step, field)),
    };
    let mut sheet = PriceSheet {
        input: price(INPUT)?,
        output: price(OUTPUT)?,
        cache_read: price(CACHE_READ)?,
        cache_write_5m: price(CACHE_WRITE_5M)?,
        cache_write_1h: price(CACHE_WRITE_1H)?,
        reasoning: price("output_cost_per_reasoning_token")?,
        audio_input: price(AUDIO_INPUT)?,
        audio_output: price("output_cost_per_audio_token")?,
        image_input: price("input_cost_per_image_token")?,
        image_output: price("output_cost_per_image_token")?,
        ..PriceSheet::default()
    };
    // Where tokens are priced, prices by image or second are the same price said in another way.
    if sheet == PriceSheet::default() {
        let either = |one: &str, other: &str| Ok::<_, String>(price(one)?.or(price(other)?));
        sheet.per_image = either("output_cost_per_image", "input_cost_per_image")?;
        sheet.per_second = either("input_cost_per_second", "output_cost_per_second")?;
        sheet.per_character = price("input_cost_per_character")?;
        sheet.per_search_unit = price("input_cost_per_query")?;
    }
    if sheet != PriceSheet::default() {
        sheet.hosted_tools = searches(entry)?;
        sheet.tiers = tiers(entry)?;
    }
    Ok(sheet)
}

/// The price of a field; none where it is absent or nothing.
fn rate(entry: &Entry, field: &str) -> Result<Option<Rate>, String> {
    let text = match entry.get(field) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.to_string(),
        Some(Value::String(text)) => text.clone(),
        Some(_) => return Err(format!("{field}: must be a number")),
    };
    if text.starts_with('-') {
        return Err(format!("{field}: is below zero"));
    }
    let rate = Rate::parse_per_unit(&text).map_err(|error| format!("{field}: {error}"))?;
    Ok(Some(rate).filter(|rate| *rate != Rate::default()))
}

fn steps(entry: &Entry) -> impl Iterator<Item = (u64, &Entry)> {
    let steps = entry.get("tiered_pricing").and_then(Value::as_array);
    steps.into_iter().flatten().filter_map(|step| {
        let bound = whole(step.get("range")?.get(0)?)?;
        Some((bound, step.as_object()?))
    })
}

/// A bound as a whole number: lists write `128000`, `128000.0` and `1.28e5`.
fn whole(value: &Value) -> Option<u64> {
    let text = value.as_number()?.to_string();
    text.parse().ok().or_else(|| {
        // A rate counts in 10⁻⁹ of what it reads.
        let scaled = Rate::parse_per_million(&text).ok()?.nanos_per_million();
        let whole = (scaled % 1_000_000_000 == 0).then_some(scaled / 1_000_000_000)?;
        u64::try_from(whole).ok()
    })
}

fn first_step(entry: &Entry) -> Option<&Entry> {
    let mut all = steps(entry);
    all.find(|(bound, _)| *bound == 0).map(|(_, step)| step)
}

fn searches(entry: &Entry) -> Result<BTreeMap<String, Rate>, String> {
    let costs = entry.get("search_context_cost_per_query");
    let Some(costs) = costs.and_then(Value::as_object) else {
        return Ok(BTreeMap::new());
    };
    let price = rate(costs, "search_context_size_medium")?;
    let named = price.map(|price| ("web_search_requests".to_owned(), price));
    Ok(named.into_iter().collect())
}

/// Prices of long contexts: fields that end in `_above_200k_tokens`, or steps with a range.
fn tiers(entry: &Entry) -> Result<Vec<Tier>, String> {
    let mut bounds: BTreeMap<u64, Tier> = BTreeMap::new();
    for kind in TIERED {
        for field in entry.keys() {
            if let Some(bound) = bound_of(field, kind)
                && let Some(price) = rate(entry, field)?
            {
                put(&mut bounds, bound, kind, price);
            }
        }
    }
    for (bound, step) in steps(entry).filter(|(bound, _)| *bound > 0) {
        for kind in TIERED {
            if let Some(price) = rate(step, kind)? {
                put(&mut bounds, bound, kind, price);
            }
        }
    }
    Ok(bounds.into_values().collect())
}

fn bound_of(field: &str, kind: &str) -> Option<u64> {
    let thousands = field.strip_prefix(kind)?.strip_prefix("_above_")?;
    let thousands: u64 = thousands.strip_suffix("k_tokens")?.parse().ok()?;
    thousands.checked_mul(1_000)
}

fn put(bounds: &mut BTreeMap<u64, Tier>, bound: u64, kind: &str, price: Rate) {
    let tier = bounds.entry(bound).or_insert_with(|| Tier {
        above_tokens: bound,
        ..Tier::default()
    });
    let place = match kind {
        INPUT => &mut tier.input,
        OUTPUT => &mut tier.output,
        CACHE_READ => &mut tier.cache_read,
        CACHE_WRITE_5M => &mut tier.cache_write_5m,
        CACHE_WRITE_1H => &mut tier.cache_write_1h,
        _ => &mut tier.audio_input,
    };
    *place = Some(price);
}
