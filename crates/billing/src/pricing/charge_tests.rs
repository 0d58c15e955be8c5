//! Charges against those worked out by hand in `fixtures/charges.json`, and what must hold for
//! any charge.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Deserialize;
use store::request_log::PriceLine;

use super::*;
use crate::pricing::{Bounds, Images, TokenKinds, affordable_output, worst_case};

#[derive(Deserialize)]
struct Table {
    sheets: BTreeMap<String, PriceSheet>,
    charges: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    name: String,
    sheet: String,
    multiplier: String,
    usage: Used,
    lines: Vec<PriceLine>,
    total_nanos: i64,
}

#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Used {
    input: u64,
    cache_read: u64,
    cache_write_5m: u64,
    cache_write_1h: u64,
    audio_input: u64,
    image_input: u64,
    output: u64,
    reasoning: u64,
    audio_output: u64,
    image_output: u64,
    calls: u64,
    images: Vec<ImageCount>,
    seconds: u64,
    characters: u64,
    search_units: u64,
    hosted_tools: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct ImageCount {
    size: String,
    quality: String,
    count: u64,
}

impl Used {
    fn usage(self) -> Usage {
        let images = self.images.into_iter().map(|one| Images {
            size: Some(one.size),
            quality: Some(one.quality),
            count: one.count,
        });
        Usage {
            tokens: Tokens {
                input: self.input,
                cache_read: self.cache_read,
                cache_write_5m: self.cache_write_5m,
                cache_write_1h: self.cache_write_1h,
                audio_input: self.audio_input,
                image_input: self.image_input,
                output: self.output,
                reasoning: self.reasoning,
                audio_output: self.audio_output,
                image_output: self.image_output,
            },
            other: OtherUnits {
                calls: self.calls,
                images: images.collect(),
                seconds: self.seconds,
                characters: self.characters,
                search_units: self.search_units,
                hosted_tools: self.hosted_tools,
            },
        }
    }
}

fn table() -> Table {
    serde_json::from_str(include_str!("../../fixtures/charges.json")).expect("the table is valid")
}

#[test]
fn charges_agree_with_those_worked_out_by_hand() {
    let table = table();
    assert!(table.charges.len() >= 40);
    for row in table.charges {
        let sheet = &table.sheets[&row.sheet];
        let multiplier = Multiplier::parse(&row.multiplier).unwrap();
        let charge = charge(sheet, multiplier, &row.usage.usage()).unwrap();
        assert_eq!(charge.logged_lines(), row.lines, "{}", row.name);
        assert_eq!(charge.total_nanos, row.total_nanos, "{}", row.name);
    }
}

#[test]
fn a_usage_that_no_price_covers_is_refused_and_a_price_of_zero_is_not() {
    let usage = Used {
        images: vec![ImageCount {
            size: "1024x1024".to_owned(),
            quality: "high".to_owned(),
            count: 1,
        }],
        ..Used::default()
    }
    .usage();
    let sheets = table().sheets;
    let refused = charge(&sheets["rerank"], Multiplier::ONE, &usage);
    assert_eq!(refused, Err(PricingError::Unpriced));
    let free = Used {
        input: 5,
        ..Used::default()
    };
    let charged = charge(&sheets["free"], Multiplier::ONE, &free.usage()).unwrap();
    assert_eq!(charged.total_nanos, 0);
    let nothing = charge(&sheets["free"], Multiplier::ONE, &Usage::default()).unwrap();
    assert_eq!(nothing, Charge::default());
}

#[test]
fn an_amount_beyond_money_is_an_error() {
    let sheet = PriceSheet {
        input: Rate::of_nanos_per_million(i64::MAX),
        ..PriceSheet::default()
    };
    let usage = Used {
        input: u64::MAX,
        ..Used::default()
    }
    .usage();
    for millionths in [1, 1_000_000, i64::MAX] {
        let multiplier = Multiplier::of_millionths(millionths).unwrap();
        assert_eq!(
            charge(&sheet, multiplier, &usage),
            Err(PricingError::OutOfRange)
        );
    }
}

#[test]
fn a_lowered_charge_says_by_how_much() {
    let sheets = table().sheets;
    let usage = Used {
        input: 1000,
        output: 200,
        ..Used::default()
    }
    .usage();
    let full = charge(&sheets["gpt-4o"], Multiplier::ONE, &usage).unwrap();
    assert_eq!(full.total_nanos, 4_500_000);
    let lowered = full.clone().at_most(4_000_000);
    assert_eq!(lowered.total_nanos, 4_000_000);
    assert_eq!(sum(&lowered), Exact::of_nanos(4_000_000));
    assert_eq!(lowered.lines.last().unwrap().kind, "not_covered");
    assert_eq!(full.clone().at_most(4_500_000), full);
}

#[test]
fn a_sheet_is_written_as_it_is_read_and_numbers_stay_exact() {
    for (name, sheet) in table().sheets {
        let json = serde_json::to_value(&sheet).unwrap();
        assert_eq!(PriceSheet::from_json(&json).unwrap(), sheet, "{name}");
    }
    let exact: PriceSheet = serde_json::from_str(r#"{"input": 0.123456789}"#).unwrap();
    assert_eq!(exact.input, Rate::of_nanos_per_million(123_456_789));
    let refused = serde_json::from_str::<PriceSheet>(r#"{"input": "0.1234567891"}"#);
    assert!(refused.unwrap_err().to_string().contains("0.1234567891"));
    assert!(serde_json::from_str::<PriceSheet>(r#"{"inputs": "1"}"#).is_err());
}

fn sum(charge: &Charge) -> Exact {
    let amounts = charge.lines.iter().map(|line| line.amount);
    amounts.fold(Exact::ZERO, |sum, amount| sum.plus(amount).unwrap())
}

fn rates() -> impl Strategy<Value = Option<Rate>> {
    proptest::option::of(
        (0..200_000_000_000_i64).prop_map(|nanos| Rate::of_nanos_per_million(nanos).unwrap()),
    )
}

prop_compose! {
    fn sheets()(
        token in prop::array::uniform10(rates()),
        unit in prop::array::uniform5(rates()),
        tier in prop::array::uniform6(rates()),
        above_tokens in 0..20_000_u64,
    ) -> PriceSheet {
        let [input, output, cache_read, cache_write_5m, cache_write_1h, reasoning, audio_input,
            audio_output, image_input, image_output] = token;
        let [per_call, per_image, per_second, per_character, per_search_unit] = unit;
        let tiers = vec![crate::pricing::Tier {
            above_tokens,
            input: tier[0],
            output: tier[1],
            cache_read: tier[2],
            cache_write_5m: tier[3],
            cache_write_1h: tier[4],
            audio_input: tier[5],
        }];
        PriceSheet {
            input, output, cache_read, cache_write_5m, cache_write_1h, reasoning, audio_input,
            audio_output, image_input, image_output, per_call, per_image, per_second,
            per_character, per_search_unit, tiers, ..PriceSheet::default()
        }
    }
}

prop_compose! {
    fn usages()(
        input in 0..40_000_u64,
        output in 0..40_000_u64,
        inputs in prop::array::uniform5(0..9_000_u64),
        outputs in prop::array::uniform3(0..9_000_u64),
        other in prop::array::uniform4(0..500_u64),
    ) -> Usage {
        // Parts lie within their totals, as they do in every honest report.
        let tokens = Tokens {
            input: input.max(inputs.iter().sum()),
            cache_read: inputs[0],
            cache_write_5m: inputs[1],
            cache_write_1h: inputs[2],
            audio_input: inputs[3],
            image_input: inputs[4],
            output: output.max(outputs.iter().sum()),
            reasoning: outputs[0],
            audio_output: outputs[1],
            image_output: outputs[2],
        };
        let images = vec![Images { count: other[0], ..Images::default() }];
        let other = OtherUnits {
            calls: 1,
            images,
            seconds: other[1],
            characters: other[2],
            search_units: other[3],
            ..OtherUnits::default()
        };
        Usage { tokens, other }
    }
}

fn bounds(usage: &Usage) -> Bounds {
    Bounds {
        input: usage.tokens.input,
        output: usage.tokens.output,
        kinds: TokenKinds::ALL,
        other: usage.other.clone(),
    }
}

proptest! {
    #[test]
    fn lines_sum_exactly_to_the_total_and_units_times_price_is_the_amount(
        sheet in sheets(), usage in usages(), millionths in 0..10_000_000_i64,
    ) {
        let multiplier = Multiplier::of_millionths(millionths).unwrap();
        if let Ok(charge) = charge(&sheet, multiplier, &usage) {
            prop_assert_eq!(sum(&charge), Exact::of_nanos(charge.total_nanos));
            for line in &charge.lines {
                prop_assert_eq!(line.price.times(line.units).unwrap(), line.amount);
                prop_assert!(line.amount >= Exact::ZERO);
            }
            let rounded = charge.lines.iter().filter(|line| line.kind == "rounding");
            for line in rounded {
                prop_assert!(line.amount < Exact::of_nanos(1));
            }
        }
    }

    #[test]
    fn no_usage_costs_more_than_the_worst_case_of_its_bounds(
        sheet in sheets(), usage in usages(), millionths in 0..10_000_000_i64,
    ) {
        let multiplier = Multiplier::of_millionths(millionths).unwrap();
        if let Ok(charge) = charge(&sheet, multiplier, &usage) {
            let worst = worst_case(&sheet, multiplier, &bounds(&usage)).unwrap_or(0);
            prop_assert!(charge.total_nanos <= worst, "{} > {worst}", charge.total_nanos);
        }
    }

    #[test]
    fn more_output_never_costs_less(sheet in sheets(), usage in usages(), more in 1..9_000_u64) {
        let mut longer = usage.clone();
        longer.tokens.output += more;
        if let Ok(short) = charge(&sheet, Multiplier::ONE, &usage) {
            let long = charge(&sheet, Multiplier::ONE, &longer).unwrap();
            prop_assert!(short.total_nanos <= long.total_nanos);
        }
        let (short, long) = (bounds(&usage), bounds(&longer));
        if let Ok(short) = worst_case(&sheet, Multiplier::ONE, &short) {
            prop_assert!(short <= worst_case(&sheet, Multiplier::ONE, &long).unwrap());
        }
    }

    #[test]
    fn the_affordable_output_fits_and_one_more_does_not(
        sheet in sheets(), usage in usages(), balance in 0..5_000_000_000_i64,
    ) {
        let mut bounds = bounds(&usage);
        bounds.output = 0;
        let Ok(affordable) = affordable_output(&sheet, Multiplier::ONE, &bounds, balance) else {
            return Ok(());
        };
        let cost = |output: u64| {
            let bounds = Bounds { output, ..bounds.clone() };
            worst_case(&sheet, Multiplier::ONE, &bounds)
        };
        match affordable {
            None => prop_assert!(cost(0).unwrap() > balance),
            Some(u64::MAX) => prop_assert!(cost(1_000_000).unwrap() <= balance),
            Some(output) => {
                prop_assert!(cost(output).unwrap() <= balance);
                prop_assert!(cost(output + 1).unwrap() > balance);
            }
        }
    }

    #[test]
    fn no_numbers_make_the_arithmetic_panic(
        input: u64, cache_read: u64, output: u64, price in 0..=i64::MAX, millionths in 0..=i64::MAX,
    ) {
        let sheet = PriceSheet {
            input: Rate::of_nanos_per_million(price),
            cache_read: Rate::of_nanos_per_million(price),
            output: Rate::of_nanos_per_million(price),
            ..PriceSheet::default()
        };
        let tokens = Tokens { input, cache_read, output, ..Tokens::default() };
        let usage = Usage { tokens, other: OtherUnits::default() };
        let multiplier = Multiplier::of_millionths(millionths).unwrap();
        let _ = charge(&sheet, multiplier, &usage);
        let _ = worst_case(&sheet, multiplier, &bounds(&usage));
        let _ = affordable_output(&sheet, multiplier, &bounds(&usage), price);
    }
}

#[test]
fn an_image_whose_size_is_open_may_be_the_dearest() {
    let sheet = PriceSheet::from_json(&serde_json::json!({"per_image": "0.02", "images": [
        {"size": "1024x1024", "quality": "low", "price": "0.01"},
        {"size": "1024x1024", "quality": "high", "price": "0.17"},
        {"size": "1536x1024", "quality": "high", "price": "0.25"}]}))
    .unwrap();
    let dearest = |size: Option<&str>, quality: Option<&str>| {
        let images = Images {
            size: size.map(str::to_owned),
            quality: quality.map(str::to_owned),
            count: 1,
        };
        sheet
            .dearest_image_rate(&images)
            .unwrap()
            .dollars_per_unit()
    };
    assert_eq!(dearest(None, None), "0.25");
    assert_eq!(dearest(Some("auto"), Some("low")), "0.02");
    assert_eq!(dearest(Some("1024x1024"), None), "0.17");
    assert_eq!(dearest(Some("1024x1024"), Some("low")), "0.01");
}
