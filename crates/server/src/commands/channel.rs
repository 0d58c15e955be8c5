//! `modelgate channel`: channels for scripts. A channel is meant by name or id.

use http::Method;
use serde_json::{Map, Value, json};

use super::desk::{Desk, at_desk, first_line};
use super::failure::Failure;
use super::show::Format;
use crate::config::Sources;

const COLUMNS: [&str; 7] = [
    "id", "name", "type", "state", "priority", "weight", "models",
];

/// What to do, and how to print it.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    format: Format,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List channels.
    List,
    /// Show a channel; keys never come back.
    Show {
        /// Name or id.
        channel: String,
    },
    /// Make a channel.
    Create(NewChannel),
    /// Switch a channel on.
    Enable {
        /// Name or id.
        channel: String,
    },
    /// Switch a channel off at once.
    Disable {
        /// Name or id.
        channel: String,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Let what runs on a channel finish, and begin nothing new.
    Drain {
        /// Name or id.
        channel: String,
        /// Why.
        #[arg(long, value_name = "TEXT")]
        reason: Option<String>,
    },
    /// Replace a channel's key by the first line of standard input.
    SetKey {
        /// Name or id.
        channel: String,
        /// Read it from standard input.
        #[arg(long, required = true)]
        key_stdin: bool,
    },
    /// Delete a channel.
    Delete {
        /// Name or id.
        channel: String,
    },
}

/// A channel to make.
#[derive(Debug, clap::Args)]
struct NewChannel {
    /// Its unique name.
    name: String,
    /// The provider's id, such as openai, anthropic, google.
    #[arg(long = "type", value_name = "PROVIDER")]
    provider: String,
    /// Where the provider is reached; its own address otherwise.
    #[arg(long, value_name = "URL")]
    base_url: Option<String>,
    /// Read the key from the first line of standard input.
    #[arg(long)]
    key_stdin: bool,
    /// A model it serves, `alias=upstream name` where the names differ; may be given several times.
    #[arg(long = "model", value_name = "MODEL", required = true)]
    models: Vec<String>,
    /// A group that may use it; may be given several times. None: `default`.
    #[arg(long = "group", value_name = "GROUP")]
    groups: Vec<String>,
    /// Higher ones are tried first.
    #[arg(long)]
    priority: Option<i64>,
    /// The share among channels of one priority.
    #[arg(long)]
    weight: Option<i64>,
}

/// Runs one of them.
pub(super) fn run(sources: &Sources, arguments: Arguments) -> Result<(), Failure> {
    let format = arguments.format;
    at_desk(sources, async |desk| match arguments.command {
        Command::List => Ok(format.rows(&desk.list("/api/channel/").await?, &COLUMNS)?),
        Command::Show { channel } => {
            let path = place(desk, &channel).await?;
            Ok(format.record(&desk.get(&path).await?)?)
        }
        Command::Create(new) => Ok(format.record(&create(desk, new).await?)?),
        Command::Enable { channel } => switch(desk, &channel, "on", None, format).await,
        Command::Disable { channel, reason } => switch(desk, &channel, "off", reason, format).await,
        Command::Drain { channel, reason } => {
            switch(desk, &channel, "draining", reason, format).await
        }
        Command::SetKey { channel, .. } => {
            let id = desk.channel(&channel).await?;
            let body = json!({"id": id, "key": first_line()?});
            let changed = desk
                .change(Method::PUT, "/api/channel/", Some(&body))
                .await?;
            Ok(format.record(&changed)?)
        }
        Command::Delete { channel } => {
            let path = place(desk, &channel).await?;
            desk.change(Method::DELETE, &path, None).await?;
            Ok(format.done(&format!("channel {channel} is deleted"))?)
        }
    })
}

async fn place(desk: &Desk, channel: &str) -> Result<String, Failure> {
    Ok(format!("/api/channel/{}", desk.channel(channel).await?))
}

async fn switch(
    desk: &Desk,
    channel: &str,
    state: &str,
    reason: Option<String>,
    format: Format,
) -> Result<(), Failure> {
    let path = format!("{}/state", place(desk, channel).await?);
    let body = json!({"state": state, "reason": reason});
    let changed = desk.change(Method::POST, &path, Some(&body)).await?;
    Ok(format.record(&changed)?)
}

async fn create(desk: &Desk, new: NewChannel) -> Result<Value, Failure> {
    let mut body = Map::new();
    body.insert("name".to_owned(), new.name.into());
    body.insert("type".to_owned(), new.provider.into());
    body.insert("models".to_owned(), new.models.into());
    let key = if new.key_stdin {
        Some(first_line()?)
    } else {
        None
    };
    let groups = Some(new.groups).filter(|groups| !groups.is_empty());
    for (field, value) in [
        ("base_url", new.base_url.map(Value::from)),
        ("key", key.map(Value::from)),
        ("groups", groups.map(Value::from)),
        ("priority", new.priority.map(Value::from)),
        ("weight", new.weight.map(Value::from)),
    ] {
        body.extend(value.map(|value| (field.to_owned(), value)));
    }
    let body = Value::Object(body);
    desk.change(Method::POST, "/api/channel/", Some(&body))
        .await
}
