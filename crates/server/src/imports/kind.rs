//! The kinds of gateways that can be imported from, and a source understood as what it asks for.

use super::apply::Asked;
use super::error::ImportError;
use super::gateway::{self, Flavour};
use super::litellm;
use super::report::{Findings, Origin};
use super::source::{Place, has_tables, read_tables};

/// Longest name of a source.
const LONGEST_NAME: usize = 64;

/// A kind of gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// one-api.
    OneApi,
    /// new-api.
    NewApi,
    /// LiteLLM's proxy, by its configuration file or its database.
    LiteLlm,
}

impl Kind {
    /// The kind of this name.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "one-api" => Some(Self::OneApi),
            "new-api" => Some(Self::NewApi),
            "litellm" => Some(Self::LiteLlm),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::OneApi => "one-api",
            Self::NewApi => "new-api",
            Self::LiteLlm => "litellm",
        }
    }
}

/// Where a configuration's references to the environment lead.
pub type Environment<'a> = &'a (dyn Fn(&str) -> Option<String> + Send + Sync);

/// Reads a source and says what it asks for; writes nothing. `name` tells several sources of one kind
/// apart.
pub async fn understand(
    kind: Kind,
    place: &Place,
    name: Option<&str>,
    environment: Environment<'_>,
    dry_run: bool,
) -> Result<Asked, ImportError> {
    let name = name.map(str::trim).filter(|name| !name.is_empty());
    let source = name.unwrap_or(kind.name());
    if source.len() > LONGEST_NAME || source.chars().any(char::is_control) {
        return Err(ImportError::source(
            "the name of a source has at most 64 characters",
        ));
    }
    let mut findings = Findings::default();
    let (plan, format) = match kind {
        Kind::OneApi | Kind::NewApi => {
            let flavour = match kind {
                Kind::OneApi => Flavour::OneApi,
                _ => Flavour::NewApi,
            };
            let (tables, format) = read_tables(place).await?;
            (gateway::plan(&tables, flavour, &mut findings)?, format)
        }
        Kind::LiteLlm => match place {
            Place::File(path) if !has_tables(path) => {
                let text = litellm::read_file(path).await?;
                (litellm::plan(&text, environment, &mut findings)?, "yaml")
            }
            database => {
                let (tables, format) = read_tables(database).await?;
                (litellm::plan_of_database(&tables, &mut findings)?, format)
            }
        },
    };
    let origin = Origin {
        kind: kind.name().to_owned(),
        source: source.to_owned(),
        format: format.to_owned(),
    };
    Ok(Asked {
        origin,
        plan,
        findings,
        dry_run,
    })
}
