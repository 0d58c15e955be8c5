//! Declared channels: found again by their name, and written only where something differs. Whether
//! one is on is not declared, so that an operator can switch it off and have it stay so.

use std::collections::BTreeMap;

use providers::Upstream;
use serde_json::{Map, Value};
use store::channel_keys;
use store::channels::{self, Channel, ChannelChanges, NewChannel};
use store::shared::Change;
use store::{ChannelId, Transaction};

use super::apply::{Applied, DeclareError, Means};
use crate::channels::{open_key, seal_key};
use crate::config::{ChannelDeclaration, Secret};

const LIST: &str = "channels";

/// Adds, changes and removes.
pub(super) async fn apply(
    transaction: &Transaction,
    means: &Means<'_>,
    declared: &[ChannelDeclaration],
    applied: &mut Applied,
) -> Result<(), DeclareError> {
    let known = channels::all(transaction).await?;
    for declaration in declared {
        let same = known.iter().find(|row| row.name == declaration.name);
        let id = match same {
            Some(row) if !row.is_declared => {
                let reason = "a channel of this name was made by hand; rename one of them";
                return Err(DeclareError::refused(LIST, &declaration.name, reason));
            }
            Some(row) => change(transaction, means, declaration, row).await?,
            None => Some(insert(transaction, means, declaration).await?),
        };
        applied.changes.extend(id.map(Change::Channel));
    }
    for row in known.iter().filter(|row| row.is_declared) {
        if !declared
            .iter()
            .any(|declaration| declaration.name == row.name)
        {
            channels::delete(transaction, row.id).await?;
            applied.changes.push(Change::Channel(row.id));
        }
    }
    Ok(())
}

async fn insert(
    transaction: &Transaction,
    means: &Means<'_>,
    declaration: &ChannelDeclaration,
) -> Result<ChannelId, DeclareError> {
    let new = NewChannel {
        name: declaration.name.clone(),
        provider: declaration.provider.clone(),
        base_url: base_url(declaration),
        is_declared: true,
    };
    let row = channels::insert(transaction, new, wanted(declaration), means.now).await?;
    let keys = sealed(means, row.id, declaration);
    channel_keys::replace(transaction, row.id, keys, means.now).await?;
    Ok(row.id)
}

/// Changes what differs; none where nothing does.
async fn change(
    transaction: &Transaction,
    means: &Means<'_>,
    declaration: &ChannelDeclaration,
    row: &Channel,
) -> Result<Option<ChannelId>, DeclareError> {
    let has_same_keys = has_keys(transaction, means, declaration, row.id).await?;
    let changes = ChannelChanges {
        provider: Some(declaration.provider.clone()),
        base_url: Some(base_url(declaration)),
        ..wanted(declaration)
    };
    if has_same_keys && is_as_wanted(row, &changes) {
        return Ok(None);
    }
    channels::update(transaction, row.id, changes, means.now).await?;
    if !has_same_keys {
        let keys = sealed(means, row.id, declaration);
        channel_keys::replace(transaction, row.id, keys, means.now).await?;
    }
    Ok(Some(row.id))
}

/// Whether the stored keys are the declared ones, pinned to the same places.
async fn has_keys(
    transaction: &Transaction,
    means: &Means<'_>,
    declaration: &ChannelDeclaration,
    id: ChannelId,
) -> Result<bool, DeclareError> {
    let stored = channel_keys::list(transaction, id).await?;
    let declared: Vec<&Secret> = keys(declaration).collect();
    let is_same = stored.len() == declared.len()
        && stored.iter().zip(declared).all(|(stored, declared)| {
            stored.pinned_host == origin(declaration, declared)
                && open_key(means.keys, stored).is_ok_and(|key| key == *declared)
        });
    Ok(is_same)
}

fn sealed(
    means: &Means<'_>,
    id: ChannelId,
    declaration: &ChannelDeclaration,
) -> Vec<channel_keys::NewChannelKey> {
    keys(declaration)
        .map(|key| {
            let origin = origin(declaration, key);
            seal_key(means.keys, means.randomness, id, &origin, key)
        })
        .collect()
}

fn keys(declaration: &ChannelDeclaration) -> impl Iterator<Item = &Secret> {
    declaration.key.iter().chain(&declaration.keys)
}

/// Where a key may be sent. A channel that cannot be opened sends it nowhere, and says why when it
/// is loaded.
fn origin(declaration: &ChannelDeclaration, key: &Secret) -> String {
    let upstream = providers::provider(&declaration.provider)
        .and_then(|provider| Upstream::open(provider, &base_url(declaration), key.expose()).ok());
    upstream.map_or_else(String::new, |upstream| upstream.base.origin().to_string())
}

fn base_url(declaration: &ChannelDeclaration) -> String {
    declaration.base_url.clone().unwrap_or_default()
}

/// Everything that a declaration decides.
fn wanted(declaration: &ChannelDeclaration) -> ChannelChanges {
    let split = |entry: &String| {
        let (name, upstream) = entry.split_once('=').unwrap_or((entry, entry));
        (name.trim().to_owned(), upstream.trim().to_owned())
    };
    let models: Vec<(String, String)> = declaration.models.iter().map(split).collect();
    let mapped = models
        .iter()
        .filter(|(name, upstream)| name != upstream)
        .cloned();
    let mapping: BTreeMap<String, String> = mapped.collect();
    let limit = |value: u32| Some((value > 0).then_some(i64::from(value)));
    let timeout = |value: Option<u32>| Some(value.filter(|ms| *ms > 0).map(i64::from));
    let (limits, timeouts) = (declaration.limits, declaration.timeouts);
    let dialects = Some(&declaration.dialects).filter(|names| !names.is_empty());
    ChannelChanges {
        models: Some(models.into_iter().map(|(name, _)| name).collect()),
        model_mapping: Some(mapping),
        groups: Some(declaration.groups.clone()),
        tags: Some(declaration.tags.clone()),
        dialects: Some(dialects.cloned()),
        priority: Some(declaration.priority.into()),
        weight: Some(declaration.weight.into()),
        rpm: limit(limits.rpm),
        tpm: limit(limits.tpm),
        concurrency: limit(limits.concurrency),
        connect_timeout_ms: timeout(timeouts.connect_ms),
        first_byte_timeout_ms: timeout(timeouts.first_byte_ms),
        idle_timeout_ms: timeout(timeouts.idle_ms),
        overrides: Some(overrides(declaration)),
        proxy: Some(
            declaration
                .proxy
                .as_ref()
                .map(|proxy| proxy.expose().to_owned()),
        ),
        ..ChannelChanges::default()
    }
}

/// The overrides as the records have them; none where nothing is overridden.
fn overrides(declaration: &ChannelDeclaration) -> Option<Value> {
    let headers: Map<String, Value> = declaration
        .headers
        .iter()
        .map(|(name, value)| (name.clone(), Value::from(value.as_str())))
        .collect();
    let names = |list: &[String]| Value::from(list.to_vec());
    let mut document = Map::new();
    let mut set = |key: &str, is_there: bool, value: Value| {
        if is_there {
            document.insert(key.to_owned(), value);
        }
    };
    set("headers", !headers.is_empty(), Value::Object(headers));
    let (no_headers, no_fields) = (&declaration.drop_headers, &declaration.drop_body);
    set("drop_headers", !no_headers.is_empty(), names(no_headers));
    set(
        "body",
        !declaration.body.is_empty(),
        json(&declaration.body),
    );
    set("drop_body", !no_fields.is_empty(), names(no_fields));
    set(
        "demo",
        !declaration.demo.is_empty(),
        json(&declaration.demo),
    );
    let roots = declaration.tls_roots.as_deref();
    set("tls_roots", roots.is_some(), Value::from(roots));
    (!document.is_empty()).then_some(Value::Object(document))
}

fn json(table: &toml::Table) -> Value {
    serde_json::to_value(table).unwrap_or_default()
}

fn is_as_wanted(row: &Channel, wanted: &ChannelChanges) -> bool {
    fn same<T: PartialEq>(stored: &T, wanted: Option<&T>) -> bool {
        wanted.is_none_or(|wanted| stored == wanted)
    }
    let stored_dialects = row.dialects.as_ref().map(|list| list.0.clone());
    let stored_overrides = row.overrides.as_ref().map(|document| document.0.clone());
    same(&row.provider, wanted.provider.as_ref())
        && same(&row.base_url, wanted.base_url.as_ref())
        && same(&row.models.0, wanted.models.as_ref())
        && same(&row.model_mapping.0, wanted.model_mapping.as_ref())
        && same(&row.groups.0, wanted.groups.as_ref())
        && same(&row.tags.0, wanted.tags.as_ref())
        && same(&stored_dialects, wanted.dialects.as_ref())
        && same(&row.priority, wanted.priority.as_ref())
        && same(&row.weight, wanted.weight.as_ref())
        && same(&row.rpm, wanted.rpm.as_ref())
        && same(&row.tpm, wanted.tpm.as_ref())
        && same(&row.concurrency, wanted.concurrency.as_ref())
        && same(&row.connect_timeout_ms, wanted.connect_timeout_ms.as_ref())
        && same(
            &row.first_byte_timeout_ms,
            wanted.first_byte_timeout_ms.as_ref(),
        )
        && same(&row.idle_timeout_ms, wanted.idle_timeout_ms.as_ref())
        && same(&stored_overrides, wanted.overrides.as_ref())
        && same(&row.proxy, wanted.proxy.as_ref())
}
