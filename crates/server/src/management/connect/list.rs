//! The recipes are data (`recipes.json`); the address, a model and the place of the key are filled in.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use axum::extract::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::management::frame::{ApiError, Identity, Level, Reply, Route, Search};

/// What stands in the place of a key: the page puts in one that was just made.
const KEY: &str = "$MODELGATE_API_KEY";

static RECIPES: LazyLock<Vec<Recipe>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("recipes.json")).expect("a test reads the shipped recipes")
});

/// The routes.
pub fn routes() -> Vec<Route> {
    vec![
        Route::get("/api/connect/recipes", Level::User, list)
            .about("Read how SDKs, agents and apps are set up for this gateway")
            .details("`$MODELGATE_API_KEY` stands for the caller's key.")
            .searches::<RecipeQuery>()
            .gives::<Vec<Recipe>>(),
    ]
}

/// How one tool is set up.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Recipe {
    /// Its id.
    id: String,
    /// What people call it.
    label: String,
    /// `sdk`, `agent` or `app`.
    kind: String,
    /// The endpoint that it calls.
    endpoint: String,
    /// What people get wrong.
    note: String,
    /// What to write where.
    files: Vec<RecipeFile>,
}

/// A text to copy.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RecipeFile {
    /// Where it goes.
    title: String,
    /// The language, for colours.
    language: String,
    /// The text.
    text: String,
}

/// What to fill in.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub struct RecipeQuery {
    /// The model; absent: the first that the caller can use.
    model: Option<String>,
}

async fn list(
    State(app): State<Arc<App>>,
    actor: Identity,
    Search(query): Search<RecipeQuery>,
) -> Result<Reply<Vec<Recipe>>, ApiError> {
    let snapshot = app.channels().snapshot();
    let model = query.model.filter(|model| !model.is_empty());
    let first = || {
        let group = &actor.user.group_name;
        let named = BTreeSet::new();
        let by_pattern = snapshot.priced_by_pattern(&app.prices().book(), app.clock().now_ms());
        let first = |names| {
            snapshot
                .models(group, names)
                .first()
                .map(|it| it.0.to_owned())
        };
        first(&named).or_else(|| first(&by_pattern))
    };
    let model = model.or_else(first).unwrap_or_else(|| "MODEL".to_owned());
    let base = actor.caller.base_url.trim_end_matches('/');
    let filled = RECIPES.iter().map(|recipe| recipe.filled(base, &model));
    Ok(Reply::of(filled.collect()))
}

impl Recipe {
    fn filled(&self, base: &str, model: &str) -> Self {
        let fill = |text: &str| {
            let text = text.replace("{base}", base).replace("{model}", model);
            text.replace("{key}", KEY)
        };
        let filled = |file: &RecipeFile| RecipeFile {
            text: fill(&file.text),
            ..file.clone()
        };
        Self {
            endpoint: fill(&self.endpoint),
            files: self.files.iter().map(filled).collect(),
            ..self.clone()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shipped_recipe_is_read_and_leaves_nothing_open() {
        assert!(RECIPES.len() >= 20);
        for recipe in RECIPES.iter() {
            let filled = recipe.filled("https://gate.example", "gpt-4o");
            for file in &filled.files {
                let text = &file.text;
                assert!(
                    text.contains("gate.example") || text.contains(KEY),
                    "{}",
                    recipe.id
                );
                for open in ["{base}", "{model}", "{key}"] {
                    assert!(!text.contains(open), "{}: {text}", recipe.id);
                }
            }
            let all: String = filled.files.iter().map(|file| file.text.as_str()).collect();
            assert!(all.contains("https://gate.example"), "{}", recipe.id);
            assert!(matches!(recipe.kind.as_str(), "sdk" | "agent" | "app"));
        }
    }
}
