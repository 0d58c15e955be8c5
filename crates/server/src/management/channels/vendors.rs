//! The providers that a channel can be of, with what their forms ask for.

use providers::{Operation, PROVIDERS, Provider};
use schemars::JsonSchema;
use serde::Serialize;

use crate::demo;
use crate::management::frame::Reply;

/// A provider.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProviderView {
    /// Its id, a channel's `type`.
    id: &'static str,
    /// What people call it.
    label: &'static str,
    /// Its address; empty where every customer has one of their own.
    base_url: &'static str,
    /// What a key consists of; several fields are sent as one JSON object.
    credential_fields: Vec<CredentialFieldView>,
    /// What it does, by the names of operations.
    operations: Vec<&'static str>,
    /// Whether it lists its models.
    lists_models: bool,
}

/// A part of a key.
#[derive(Debug, Serialize, JsonSchema)]
pub struct CredentialFieldView {
    /// Its name in the JSON object.
    name: &'static str,
    /// What people call it.
    label: &'static str,
    /// Whether there is no call without it.
    required: bool,
}

/// Lists providers.
pub(super) async fn list() -> Reply<Vec<ProviderView>> {
    let mut all: Vec<ProviderView> = PROVIDERS.iter().map(|one| view(*one)).collect();
    all.push(ProviderView {
        id: demo::PROVIDER,
        label: "Demo channel",
        base_url: "",
        credential_fields: Vec::new(),
        operations: operations(|operation| {
            let models = crate::accounts::DEMO_MODELS;
            models
                .iter()
                .any(|model| !demo::formats(operation, model).is_empty())
        }),
        lists_models: true,
    });
    all.sort_by_key(|one| one.id);
    Reply::of(all)
}

fn view(provider: &dyn Provider) -> ProviderView {
    let fields = provider.credential_fields().iter();
    ProviderView {
        id: provider.id(),
        label: provider.label(),
        base_url: provider.default_base_url(),
        credential_fields: fields
            .map(|field| CredentialFieldView {
                name: field.name,
                label: field.label,
                required: field.required,
            })
            .collect(),
        operations: operations(|operation| !provider.formats(operation, "").is_empty()),
        lists_models: !provider.formats(Operation::ListModels, "").is_empty(),
    }
}

fn operations(offers: impl Fn(Operation) -> bool) -> Vec<&'static str> {
    let all = Operation::ALL.into_iter();
    all.filter(|one| *one != Operation::ListModels && offers(*one))
        .map(Operation::name)
        .collect()
}
