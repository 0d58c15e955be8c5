//! What a request of the responses format leaves to us: the exchange that it goes on from, and items of the caller's kept
//! answers that it only names.

use std::collections::HashSet;

use dialects::canonical::{Failure, FailureKind};
use dialects::responses::{put_items, references, resume};
use serde_json::{Map, Value};

use crate::app::App;
use crate::kept_responses::find_items;
use crate::model_call::{refusals, vendor_state};
use crate::tokens::Holder;

/// More items are not looked for.
const MOST_REFERENCES: usize = 1_000;

/// Makes a request whole; `previous_id` is the answer that it goes on from. True: something was put into it.
pub async fn put_into(
    request: &mut Map<String, Value>,
    app: &App,
    holder: &Holder,
    previous_id: Option<&str>,
) -> Result<bool, Failure> {
    let earlier = match previous_id {
        Some(id) => go_on(app, holder, id, request).await?,
        None => 0,
    };
    let named = references(request, earlier);
    if named.is_empty() {
        return Ok(previous_id.is_some());
    }
    if named.len() > MOST_REFERENCES {
        let text = format!("`input` refers to more than {MOST_REFERENCES} items.");
        return Err(Failure::bad_request("input", text));
    }
    // A vendor rejects an item that is there twice; here it would multiply in addition.
    let mut seen = HashSet::with_capacity(named.len());
    if let Some(id) = named.iter().find(|id| !seen.insert(id.as_str())) {
        let text = format!("`input` refers to the item `{id}` twice.");
        return Err(Failure::bad_request("input", text));
    }
    let found = find_items(app, holder.user_id, &named).await;
    let found = found.map_err(|error| refusals::records_away(&error))?;
    let passes = vendor_state::is_passed(app);
    match put_items(request, earlier, &found, passes) {
        Some((place, id)) => Err(no_item(place, &id)),
        None => Ok(true),
    }
}

/// Puts the earlier exchange before the request's own input. Returns the number of its items.
async fn go_on(
    app: &App,
    holder: &Holder,
    id: &str,
    request: &mut Map<String, Value>,
) -> Result<usize, Failure> {
    let found = app.shelf().find(app, holder.user_id, id).await;
    let found = found.map_err(|error| refusals::records_away(&error))?;
    let Some(earlier) = found else {
        let text = format!("The previous response `{id}` was not found.");
        return Err(Failure {
            param: Some("previous_response_id".to_owned()),
            code: Some("previous_response_not_found".to_owned()),
            ..Failure::new(FailureKind::BadRequest, text)
        });
    };
    resume(request, &earlier.input, earlier.output())
}

fn no_item(place: usize, id: &str) -> Failure {
    let text = format!("The item `{id}` is in no stored answer of yours. Send the item itself.");
    Failure {
        param: Some(format!("input[{place}].id")),
        code: Some("item_not_found".to_owned()),
        ..Failure::new(FailureKind::BadRequest, text)
    }
}
