//! Changing settings: all that a call names, or none.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use store::shared::Change;
use store::{Transaction, settings};

use super::view::OptionView;
use crate::app::App;
use crate::background::announce;
use crate::config::{Config, MailConfig, Problems, describe};
use crate::live_config::{overrides_of, sealed_option, toml_of};
use crate::management::frame::{
    AccessScope, Act, ApiError, Identity, Input, Reply, require_scope, require_step_up,
};
use crate::settings::{Settings, StoredOption};

/// A longer text is no setting.
const LONGEST: usize = 8_192;

/// What to change.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct OptionsInput {
    /// New values by their full key, for example `{"login.failures": 3}`; `null` goes back to what
    /// the file or the default says.
    values: BTreeMap<String, Value>,
}

/// `PUT /api/option/`.
pub(super) async fn update(
    State(app): State<Arc<App>>,
    actor: Identity,
    Input(input): Input<OptionsInput>,
) -> Result<Reply<Vec<OptionView>>, ApiError> {
    if input.values.is_empty() {
        return Err(ApiError::bad_field("values", "must name a setting"));
    }
    let known = views(&app.config());
    let named = check(&known, &input.values)?;
    if named.iter().any(|option| option.sensitive) {
        require_step_up(&app, &actor)?;
    }
    if named.iter().any(|option| option.is_about_money()) {
        require_scope(&actor, AccessScope::Billing)?;
    }
    let transaction = app.store().write().await?;
    let changed = change(&app, &transaction, &actor, &input.values).await?;
    if changed.is_different {
        transaction.commit().await?;
        announce(&app, Change::Settings).await;
    }
    Ok(Reply::of(changed.settings))
}

/// What a change has made of the settings that it named.
pub struct Changed {
    settings: Vec<OptionView>,
    is_different: bool,
}

/// Changes settings and notes who did it. Whoever commits the transaction announces it; what is sensitive
/// was proved before.
pub(in crate::management) async fn change(
    app: &App,
    transaction: &Transaction,
    actor: &Identity,
    values: &BTreeMap<String, Value>,
) -> Result<Changed, ApiError> {
    let known = views(&app.config());
    check(&known, values)?;
    let given = app.live_config().given();
    let now = app.clock().now_ms();
    let (version, mut document) = Settings::stored(transaction).await?;
    let (before, _) = given.with_usable_overrides(&overrides_of(&document, app.keys()));
    for (key, value) in values {
        store_value(app, &mut document, known.get(key.as_str()), key, value);
    }
    let changed = overrides_of(&document, app.keys());
    let after = given
        .with_overrides(&changed)
        .map_err(|problems| refusal(&problems))?;
    check_mail_server(&before.mail, &after.mail, values)?;
    let (before, mut after) = (views(&before), views(&after));
    let differences = differences(&before, &after, values);
    let is_different = !differences.is_empty();
    if is_different {
        settings::save(transaction, version, &document, Some(actor.id()), now).await?;
        let act = Act {
            action: "option.update",
            object_kind: "option",
            object_id: "settings".to_owned(),
            changes: Value::Object(differences),
        };
        act.note(transaction, actor, now).await?;
    }
    let named = values.keys();
    Ok(Changed {
        settings: named.filter_map(|key| after.remove(key)).collect(),
        is_different,
    })
}

fn views(config: &Config) -> BTreeMap<String, OptionView> {
    let views = describe(config).into_iter().map(OptionView::of);
    views.map(|view| (view.key.clone(), view)).collect()
}

/// The settings that are named, where all of them can be changed here to something like that.
fn check<'a>(
    known: &'a BTreeMap<String, OptionView>,
    values: &BTreeMap<String, Value>,
) -> Result<Vec<&'a OptionView>, ApiError> {
    let mut named = Vec::with_capacity(values.len());
    for (key, value) in values {
        let Some(option) = known.get(key) else {
            let closest = crate::config::suggestion(key, known.keys().map(String::as_str));
            let problem = format!("there is no such setting{closest}");
            return Err(ApiError::bad_field(key, &problem));
        };
        if let Some(reason) = &option.locked_because {
            let text = format!("{key}: cannot be changed here. {reason}");
            return Err(ApiError::conflict(text).with_code("setting_locked"));
        }
        if !value.is_null() && toml_of(value).is_none() {
            return Err(ApiError::bad_field(
                key,
                "must be a text, a number, a switch or a list",
            ));
        }
        if option.secret && !value.is_null() && !value.is_string() {
            return Err(ApiError::bad_field(key, "must be a text"));
        }
        if value.to_string().len() > LONGEST {
            return Err(ApiError::bad_field(key, "is too long"));
        }
        named.push(option);
    }
    Ok(named)
}

/// A password is for the server that it was given for: another one gets it only from whoever knows it.
fn check_mail_server(
    before: &MailConfig,
    after: &MailConfig,
    values: &BTreeMap<String, Value>,
) -> Result<(), ApiError> {
    let server = |mail: &MailConfig| {
        let (host, username) = (mail.host.clone(), mail.username.clone());
        (host, mail.port, mail.security, username)
    };
    let is_kept = before.password.is_some() && before.password == after.password;
    // An empty text is what a form sends that was not touched.
    let sent = values.get("mail.password").and_then(Value::as_str);
    let is_sent = sent.is_some_and(|password| !password.is_empty());
    if !is_kept || is_sent || server(before) == server(after) {
        return Ok(());
    }
    let problem = "must be sent again with another mail server";
    Err(ApiError::bad_field("mail.password", problem))
}

fn store_value(
    app: &App,
    document: &mut Settings,
    option: Option<&OptionView>,
    key: &str,
    value: &Value,
) {
    let stored = match value {
        Value::Null => {
            document.options.remove(key);
            return;
        }
        Value::String(text) if option.is_some_and(|option| option.secret) => {
            if text.is_empty() {
                return;
            }
            sealed_option(key, text, app.keys(), app.randomness())
        }
        other => StoredOption::Plain(other.clone()),
    };
    document.options.insert(key.to_owned(), stored);
}

/// Everything that is wrong, by the names of the settings.
fn refusal(problems: &Problems) -> ApiError {
    let texts = problems
        .0
        .iter()
        .map(|problem| format!("{}: {}", problem.key, problem.text));
    ApiError::bad_request(texts.collect::<Vec<_>>().join("; "))
}

/// What changed, as the audit log shows it: of a secret only that it did.
fn differences(
    before: &BTreeMap<String, OptionView>,
    after: &BTreeMap<String, OptionView>,
    values: &BTreeMap<String, Value>,
) -> Map<String, Value> {
    let mut found = Map::new();
    for (key, value) in values {
        let (Some(before), Some(after)) = (before.get(key), after.get(key)) else {
            continue;
        };
        let is_new_secret = after.secret && value.as_str().is_some_and(|text| !text.is_empty());
        if is_new_secret || (after.secret && before.is_set != after.is_set) {
            let state = |is_set: bool| if is_set { "set" } else { "not set" };
            let to = if is_new_secret {
                "changed"
            } else {
                state(after.is_set)
            };
            found.insert(key.clone(), json!({"from": state(before.is_set), "to": to}));
        } else if before.value != after.value || before.is_set != after.is_set {
            found.insert(
                key.clone(),
                json!({"from": before.value, "to": after.value}),
            );
        }
    }
    found
}
