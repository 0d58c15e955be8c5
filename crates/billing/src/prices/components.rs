//! A price sheet as a flat list of named prices, so that sheets are compared and changed price by
//! price: `input`, `tiers/200000/output`, `images/1024x1024/high`, `hosted_tools/web_search_requests`.

use serde_json::{Map, Value, json};

use crate::pricing::PriceSheet;

/// Stands for any size or any quality in the name of an image's price.
const ANY: &str = "*";

/// One price of a sheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// In dollars, per million tokens or per unit, as the sheet writes it.
    pub dollars: String,
}

/// Why a price cannot be set.
#[derive(Debug, thiserror::Error)]
pub enum ComponentError {
    /// No sheet has such a price.
    #[error("there is no price called {0:?}")]
    Unknown(String),
    /// The sheet that it would make cannot be read.
    #[error(transparent)]
    Sheet(#[from] serde_json::Error),
}

/// Every price of a sheet, in the sheet's order.
pub fn components_of(sheet: &PriceSheet) -> Vec<Component> {
    let mut found = Vec::new();
    let mut add = |name: String, price: &Value| {
        if let Value::String(dollars) = price {
            let dollars = dollars.clone();
            found.push(Component { name, dollars });
        }
    };
    for (field, value) in fields_of(sheet) {
        match (field.as_str(), &value) {
            ("hosted_tools", Value::Object(tools)) => {
                for (tool, price) in tools {
                    add(format!("hosted_tools/{tool}"), price);
                }
            }
            ("images", Value::Array(images)) => {
                for image in images {
                    add(format!("images/{}", image_name(image)), &image["price"]);
                }
            }
            ("tiers", Value::Array(tiers)) => {
                for tier in tiers {
                    let bound = &tier["above_tokens"];
                    for (kind, price) in tier.as_object().into_iter().flatten() {
                        add(format!("tiers/{bound}/{kind}"), price);
                    }
                }
            }
            _ => add(field, &value),
        }
    }
    found
}

/// The sheet with these prices; none takes one out.
pub fn with_components<'a>(
    sheet: &PriceSheet,
    changes: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
) -> Result<PriceSheet, ComponentError> {
    let mut fields = fields_of(sheet);
    for (name, dollars) in changes {
        let unknown = || ComponentError::Unknown(name.to_owned());
        match name.split_once('/') {
            None => put(&mut fields, name, dollars),
            Some(("hosted_tools", tool)) => {
                let tools = fields.entry("hosted_tools").or_insert_with(|| json!({}));
                put(tools.as_object_mut().ok_or_else(unknown)?, tool, dollars);
            }
            Some(("images", image)) => {
                let (size, quality) = image.split_once('/').ok_or_else(unknown)?;
                let images = list(&mut fields, "images").ok_or_else(unknown)?;
                put_image(images, (size, quality), dollars);
            }
            Some(("tiers", tier)) => {
                let (bound, kind) = tier.split_once('/').ok_or_else(unknown)?;
                let bound: u64 = bound.parse().map_err(|_| unknown())?;
                if kind == "above_tokens" {
                    return Err(unknown());
                }
                let tiers = list(&mut fields, "tiers").ok_or_else(unknown)?;
                put_tier(tiers, (bound, kind), dollars);
            }
            Some(_) => return Err(unknown()),
        }
    }
    Ok(PriceSheet::from_json(&Value::Object(fields))?)
}

fn fields_of(sheet: &PriceSheet) -> Map<String, Value> {
    match serde_json::to_value(sheet) {
        Ok(Value::Object(fields)) => fields,
        other => unreachable!("a sheet is written as an object of texts: {other:?}"),
    }
}

fn put(fields: &mut Map<String, Value>, name: &str, dollars: Option<&str>) {
    match dollars {
        Some(dollars) => fields.insert(name.to_owned(), json!(dollars)),
        None => fields.shift_remove(name),
    };
}

fn list<'a>(fields: &'a mut Map<String, Value>, name: &str) -> Option<&'a mut Vec<Value>> {
    let list = fields.entry(name).or_insert_with(|| json!([]));
    list.as_array_mut()
}

fn image_name(image: &Value) -> String {
    let part = |field: &str| image[field].as_str().unwrap_or(ANY).to_owned();
    format!("{}/{}", part("size"), part("quality"))
}

fn put_image(images: &mut Vec<Value>, (size, quality): (&str, &str), dollars: Option<&str>) {
    let name = format!("{size}/{quality}");
    images.retain(|image| image_name(image) != name);
    if let Some(dollars) = dollars {
        let given = |text: &str| (text != ANY).then(|| text.to_owned());
        images.push(json!({"size": given(size), "quality": given(quality), "price": dollars}));
    }
}

fn put_tier(tiers: &mut Vec<Value>, (bound, kind): (u64, &str), dollars: Option<&str>) {
    let is_it = |tier: &Value| tier["above_tokens"].as_u64() == Some(bound);
    if !tiers.iter().any(is_it) {
        tiers.push(json!({"above_tokens": bound}));
    }
    for tier in tiers.iter_mut().filter(|tier| is_it(tier)) {
        if let Some(fields) = tier.as_object_mut() {
            put(fields, kind, dollars);
        }
    }
    // One without a price would hide the tier below it.
    tiers.retain(|tier| tier.as_object().is_some_and(|fields| fields.len() > 1));
    tiers.sort_by_key(|tier| tier["above_tokens"].as_u64());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sheet() -> PriceSheet {
        PriceSheet::from_json(&json!({
            "input": "2.50", "output": 10,
            "images": [{"size": "1024x1024", "quality": "high", "price": "0.17"}, {"price": "0.04"}],
            "hosted_tools": {"web_search_requests": "0.01"},
            "tiers": [{"above_tokens": 200_000, "input": "5"}],
        }))
        .unwrap()
    }

    fn texts(sheet: &PriceSheet) -> Vec<String> {
        let components = components_of(sheet).into_iter();
        components
            .map(|one| format!("{} {}", one.name, one.dollars))
            .collect()
    }

    #[test]
    fn every_price_has_a_name_of_its_own() {
        let expected = [
            "input 2.5",
            "output 10",
            "images/1024x1024/high 0.17",
            "images/*/* 0.04",
            "hosted_tools/web_search_requests 0.01",
            "tiers/200000/input 5",
        ];
        assert_eq!(texts(&sheet()), expected);
    }

    #[test]
    fn a_sheet_is_made_again_from_its_prices() {
        let components = components_of(&sheet());
        let prices = components
            .iter()
            .map(|one| (one.name.as_str(), Some(one.dollars.as_str())));
        let made = with_components(&PriceSheet::default(), prices).unwrap();
        assert_eq!(made, sheet());
        let nothing = components.iter().map(|one| (one.name.as_str(), None));
        let emptied = with_components(&made, nothing).unwrap();
        assert_eq!(emptied, PriceSheet::default());
    }

    #[test]
    fn only_what_is_named_changes() {
        let changes = [
            ("output", Some("12")),
            ("tiers/200000/output", Some("20")),
            ("tiers/1000/input", Some("3")),
            ("images/*/*", None),
        ];
        let made = with_components(&sheet(), changes).unwrap();
        assert_eq!(made.output.unwrap().dollars_per_million(), "12");
        assert_eq!(made.input, sheet().input);
        assert_eq!(made.images.len(), 1);
        let bounds: Vec<u64> = made.tiers.iter().map(|tier| tier.above_tokens).collect();
        assert_eq!(bounds, [1_000, 200_000]);
        assert_eq!(made.tiers[1].input, sheet().tiers[0].input);
    }

    #[test]
    fn what_no_sheet_has_is_refused() {
        for (name, dollars) in [
            ("inputs", "1"),
            ("images", "1"),
            ("images/1024x1024", "1"),
            ("tiers/many/input", "1"),
            ("tiers/5/above_tokens", "1"),
            ("tiers/5/per_call", "1"),
            ("other/x", "1"),
            ("input", "much"),
            ("input", "-1"),
        ] {
            let made = with_components(&sheet(), [(name, Some(dollars))]);
            assert!(made.is_err(), "{name} {dollars}");
        }
    }
}
