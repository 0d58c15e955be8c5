//! `modelgate token`: tokens for scripts. A token is meant by its id.

use http::Method;
use serde_json::{Map, Value, json};

use super::desk::{Desk, at_desk, in_query};
use super::failure::Failure;
use super::show::Format;
use crate::config::{Dollars, Sources};

const COLUMNS: [&str; 7] = [
    "id",
    "name",
    "user_id",
    "status",
    "prefix",
    "used_quota_usd",
    "expires_at",
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
    /// List tokens.
    List {
        /// Only this user's; name, e-mail address or id.
        #[arg(long)]
        user: Option<String>,
        /// Only those with this in their name.
        #[arg(long, value_name = "TEXT")]
        search: Option<String>,
    },
    /// Show a token.
    Show {
        /// Its id.
        id: i64,
    },
    /// Make a token and print its secret, once.
    Create(NewToken),
    /// Let a token work again.
    Enable {
        /// Its id.
        id: i64,
    },
    /// Refuse a token with 401.
    Disable {
        /// Its id.
        id: i64,
    },
    /// Delete a token; the log keeps its id.
    Delete {
        /// Its id.
        id: i64,
    },
    /// Give a token a new secret and print it, once.
    Rotate {
        /// Its id.
        id: i64,
        /// How many seconds the former secret still works.
        #[arg(long, value_name = "SECONDS", default_value_t = 0)]
        overlap_s: i64,
    },
}

/// A token to make.
#[derive(Debug, clap::Args)]
struct NewToken {
    /// What it is called.
    name: String,
    /// Whose it is; the root user's otherwise.
    #[arg(long)]
    user: Option<String>,
    /// A model it may use; may be given several times. None: all.
    #[arg(long = "model", value_name = "MODEL")]
    models: Vec<String>,
    /// A network it may be used from; may be given several times. None: all.
    #[arg(long = "cidr", value_name = "NETWORK")]
    cidrs: Vec<String>,
    /// The group it calls as; its owner's otherwise.
    #[arg(long)]
    group: Option<String>,
    /// Calls a minute.
    #[arg(long)]
    rpm: Option<i64>,
    /// Model tokens a minute.
    #[arg(long)]
    tpm: Option<i64>,
    /// Calls at once.
    #[arg(long)]
    concurrency: Option<i64>,
    /// What it may ever spend.
    #[arg(long, value_name = "USD")]
    budget_usd: Option<Dollars>,
    /// What it may spend a month.
    #[arg(long, value_name = "USD")]
    monthly_budget_usd: Option<Dollars>,
    /// When it ends, such as 2027-01-01T00:00:00Z.
    #[arg(long, value_name = "TIME")]
    expires_at: Option<String>,
}

/// Runs one of them.
pub(super) fn run(sources: &Sources, arguments: Arguments) -> Result<(), Failure> {
    let format = arguments.format;
    at_desk(sources, async |desk| match arguments.command {
        Command::List { user, search } => {
            let user = match user {
                Some(user) => desk.user(&user).await?.id.0,
                None => 0,
            };
            let search = in_query(search.as_deref().unwrap_or_default());
            let path = format!("/api/token/?sort=name&user_id={user}&search={search}");
            Ok(format.rows(&desk.list(&path).await?, &COLUMNS)?)
        }
        Command::Show { id } => Ok(format.record(&desk.get(&place(id)).await?)?),
        Command::Create(new) => Ok(format.record(&create(desk, new).await?)?),
        Command::Enable { id } => set_status(desk, id, 1, format).await,
        Command::Disable { id } => set_status(desk, id, 2, format).await,
        Command::Delete { id } => {
            desk.change(Method::DELETE, &place(id), None).await?;
            Ok(format.done(&format!("token {id} is deleted"))?)
        }
        Command::Rotate { id, overlap_s } => {
            let token = desk.get(&place(id)).await?;
            let owner = token["user_id"].as_i64().unwrap_or_default();
            let owner = desk.user_of_id(owner).await?;
            let path = format!("{}/rotate", place(id));
            let body = json!({"overlap_s": overlap_s});
            let rotated = desk.change_as(Method::POST, &path, Some(&body), &owner);
            Ok(format.record(&rotated.await?)?)
        }
    })
}

fn place(id: i64) -> String {
    format!("/api/token/{id}")
}

async fn set_status(desk: &Desk, id: i64, status: i64, format: Format) -> Result<(), Failure> {
    let body = json!({"id": id, "status": status});
    let changed = desk.change(Method::PUT, "/api/token/", Some(&body)).await?;
    Ok(format.record(&changed)?)
}

async fn create(desk: &Desk, new: NewToken) -> Result<Value, Failure> {
    let mut body = Map::new();
    body.insert("name".to_owned(), new.name.into());
    body.insert("models".to_owned(), new.models.into());
    body.insert("cidrs".to_owned(), new.cidrs.into());
    let dollars = |amount: Option<Dollars>| amount.map(|amount| Value::from(amount.to_string()));
    for (field, value) in [
        ("group", new.group.map(Value::from)),
        ("rpm", new.rpm.map(Value::from)),
        ("tpm", new.tpm.map(Value::from)),
        ("concurrency", new.concurrency.map(Value::from)),
        ("budget_total_usd", dollars(new.budget_usd)),
        ("budget_monthly_usd", dollars(new.monthly_budget_usd)),
        ("expires_at", new.expires_at.map(Value::from)),
    ] {
        body.extend(value.map(|value| (field.to_owned(), value)));
    }
    let body = Value::Object(body);
    let path = "/api/token/";
    match new.user {
        None => desk.change(Method::POST, path, Some(&body)).await,
        Some(user) => {
            let owner = desk.user(&user).await?;
            desk.change_as(Method::POST, path, Some(&body), &owner)
                .await
        }
    }
}
