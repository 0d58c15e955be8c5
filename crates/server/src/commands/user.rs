//! `modelgate user`: users for scripts. A user is meant by name, e-mail address or id.

use billing::pricing::quota_of_nanos;
use http::Method;
use serde_json::{Value, json};

use super::desk::{Desk, at_desk, first_line, in_query};
use super::failure::{Exit, Failure};
use super::show::Format;
use crate::config::{Dollars, Sources};

const COLUMNS: [&str; 7] = [
    "id",
    "username",
    "role",
    "status",
    "group",
    "quota_usd",
    "email",
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
    /// List users.
    List {
        /// Only those whose name or e-mail address has this in it.
        #[arg(long, value_name = "TEXT")]
        search: Option<String>,
    },
    /// Show a user.
    Show {
        /// Name, e-mail address or id.
        user: String,
    },
    /// Make a user.
    Create(NewUser),
    /// Let a user log in and call again.
    Enable {
        /// Name, e-mail address or id.
        user: String,
    },
    /// End a user's sessions and refuse its tokens.
    Disable {
        /// Name, e-mail address or id.
        user: String,
    },
    /// Delete a user; ledger and log keep the id.
    Delete {
        /// Name, e-mail address or id.
        user: String,
    },
    /// Set a password, read from the first line of standard input; ends the user's sessions.
    SetPassword {
        /// Name, e-mail address or id.
        user: String,
        /// Read it from standard input.
        #[arg(long, required = true)]
        password_stdin: bool,
    },
    /// Remove the second factor and the passkeys of somebody who lost them.
    #[command(name = "reset-2fa")]
    ResetTwoFactor {
        /// Name, e-mail address or id.
        user: String,
    },
    /// Add dollars to a wallet, or take them away.
    AddBalance {
        /// Name, e-mail address or id.
        user: String,
        /// How many; below zero takes away.
        #[arg(allow_negative_numbers = true, value_name = "USD")]
        amount: String,
        /// Why; the ledger keeps it.
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
}

/// A user to make.
#[derive(Debug, clap::Args)]
struct NewUser {
    /// The login name.
    name: String,
    /// Read the password from the first line of standard input.
    #[arg(long, required = true)]
    password_stdin: bool,
    /// What the user may do.
    #[arg(long, value_enum, default_value = "user")]
    role: RoleName,
    /// The e-mail address.
    #[arg(long)]
    email: Option<String>,
    /// The name to show.
    #[arg(long, value_name = "TEXT")]
    display_name: Option<String>,
    /// The group.
    #[arg(long)]
    group: Option<String>,
    /// What the wallet begins with, in dollars.
    #[arg(long, value_name = "USD")]
    balance_usd: Option<Dollars>,
}

#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum RoleName {
    User,
    Administrator,
    Root,
}

impl RoleName {
    fn number(self) -> i64 {
        match self {
            Self::User => 1,
            Self::Administrator => 10,
            Self::Root => 100,
        }
    }
}

/// Runs one of them.
pub(super) fn run(sources: &Sources, arguments: Arguments) -> Result<(), Failure> {
    let format = arguments.format;
    at_desk(sources, async |desk| match arguments.command {
        Command::List { search } => {
            let search = in_query(search.as_deref().unwrap_or_default());
            let path = format!("/api/user/?sort=username&search={search}");
            Ok(format.rows(&desk.list(&path).await?, &COLUMNS)?)
        }
        Command::Show { user } => {
            let id = desk.user(&user).await?.id;
            Ok(format.record(&desk.get(&format!("/api/user/{id}")).await?)?)
        }
        Command::Create(new) => {
            let made = create(desk, new).await?;
            Ok(format.record(&made)?)
        }
        Command::Enable { user } => act(desk, &user, "enable", format).await,
        Command::Disable { user } => act(desk, &user, "disable", format).await,
        Command::ResetTwoFactor { user } => act(desk, &user, "reset_2fa", format).await,
        Command::Delete { user } => {
            let id = desk.user(&user).await?.id;
            let path = format!("/api/user/{id}");
            desk.change(Method::DELETE, &path, None).await?;
            Ok(format.done(&format!("user {user} is deleted"))?)
        }
        Command::SetPassword { user, .. } => {
            let id = desk.user(&user).await?.id.0;
            let body = json!({"id": id, "password": first_line()?});
            let changed = desk.change(Method::PUT, "/api/user/", Some(&body)).await?;
            Ok(format.record(&changed)?)
        }
        Command::AddBalance {
            user,
            amount,
            reason,
        } => {
            let id = desk.user(&user).await?.id.0;
            let value = quota(&amount)?;
            let body = json!({"id": id, "action": "add_quota", "value": value, "reason": reason});
            let path = "/api/user/manage";
            let changed = desk.change(Method::POST, path, Some(&body)).await?;
            Ok(format.record(&changed)?)
        }
    })
}

async fn create(desk: &Desk, new: NewUser) -> Result<Value, Failure> {
    let mut body = json!({
        "username": new.name,
        "password": first_line()?,
        "role": new.role.number(),
        "email": new.email,
        "display_name": new.display_name,
        "group": new.group,
    });
    if let Some(balance) = new.balance_usd {
        body["quota"] = quota(&balance.to_string())?.into();
    }
    desk.change(Method::POST, "/api/user/", Some(&body)).await
}

async fn act(desk: &Desk, user: &str, action: &str, format: Format) -> Result<(), Failure> {
    let id = desk.user(user).await?.id.0;
    let body = json!({"id": id, "action": action});
    let changed = desk
        .change(Method::POST, "/api/user/manage", Some(&body))
        .await?;
    Ok(format.record(&changed)?)
}

/// Dollars in the interface's units, of which a dollar has 500,000.
fn quota(text: &str) -> Result<i64, Failure> {
    let wrong = |problem: &str| Failure::new(Exit::Other, format!("{text}: {problem}"));
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, text),
    };
    let dollars: Dollars = digits.parse().map_err(|error| wrong(&format!("{error}")))?;
    let units = quota_of_nanos(dollars.nanos());
    if billing::pricing::nanos_of_quota(units) != Some(dollars.nanos()) {
        return Err(wrong("amounts are whole multiples of 0.000002 dollars"));
    }
    Ok(sign * units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dollars_become_units_exactly_or_not_at_all() {
        assert_eq!(quota("1").unwrap(), 500_000);
        assert_eq!(quota("-0.5").unwrap(), -250_000);
        for text in ["0.000001", "1,5", "", "--1"] {
            assert!(quota(text).is_err(), "{text}");
        }
    }
}
