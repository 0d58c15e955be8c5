//! `modelgate import`: carries over from another gateway, and takes it out again. Works beside a
//! running server, which notices within a second.

use std::io::{self, Write as _};

use serde_json::{Value, json};
use store::{ImportId, imports};

use super::desk::tell_of_everything;
use super::failure::{Exit, Failure};
use super::{master_keys, prepare};
use crate::clock::SystemClock;
use crate::config::{Config, Dollars, Sources};
use crate::imports::{
    By, Effect, ImportError, Kind, Means, Note, Place, Report, UndoReport, Watch, run_import,
    understand, undo_import,
};
use crate::randomness::SystemRandomness;

/// Flags of `import`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The gateway: one-api, new-api or litellm.
    #[arg(value_parser = parse_kind, required_unless_present_any = ["undo", "list"])]
    kind: Option<Kind>,
    /// A SQLite file, a dump of mysqldump or `pg_dump` as text, a postgres:// address, or
    /// LiteLLM's configuration file; for LiteLLM's keys, its database.
    #[arg(value_name = "SOURCE", required_unless_present_any = ["undo", "list"])]
    from: Option<String>,
    /// Write nothing, only report.
    #[arg(long)]
    dry_run: bool,
    /// A name that tells several sources of one kind apart.
    #[arg(long, value_name = "NAME")]
    source_name: Option<String>,
    /// What the wallet of each account that is made begins with beside what the source says, in
    /// dollars.
    #[arg(long, value_name = "N", conflicts_with_all = ["undo", "list"])]
    balance_usd: Option<Dollars>,
    /// Take out again what this import made.
    #[arg(long, value_name = "ID", conflicts_with_all = ["kind", "from", "dry_run", "list"])]
    undo: Option<i64>,
    /// List the imports.
    #[arg(long, conflicts_with_all = ["kind", "from", "dry_run"])]
    list: bool,
    /// Print the report, or the list, as JSON.
    #[arg(long)]
    json: bool,
}

fn parse_kind(text: &str) -> Result<Kind, String> {
    Kind::parse(text).ok_or_else(|| "use one-api, new-api or litellm".to_owned())
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        match error {
            ImportError::Store(error) => error.into(),
            other => Self::new(Exit::Other, other),
        }
    }
}

/// Imports, undoes or lists.
pub(super) fn run(sources: &Sources, arguments: &Arguments) -> Result<(), Failure> {
    let config = Config::load(sources)?;
    let keys = master_keys::find(&config)?;
    prepare::runtime()?.block_on(async {
        let store = prepare::open_store_unchanged(&config).await?;
        let done = async {
            keys.check(&store).await?;
            let means = Means {
                store: &store,
                keys: &keys.ring,
                clock: &SystemClock,
                randomness: &SystemRandomness,
            };
            Box::pin(act(means, arguments)).await
        };
        let done = done.await;
        if matches!(done, Ok(true)) {
            tell_of_everything(&config).await;
        }
        store.close().await?;
        done.map(|_| ())
    })
}

/// Whether something was changed.
async fn act(means: Means<'_>, arguments: &Arguments) -> Result<bool, Failure> {
    let by = By::default();
    if arguments.list {
        list(means, arguments.json).await?;
        return Ok(false);
    }
    if let Some(id) = arguments.undo {
        let report = undo_import(means, &by, ImportId(id), &mut Watch::Nobody).await?;
        print(arguments.json, &report, print_undo)?;
        return Ok(true);
    }
    let (Some(kind), Some(from)) = (arguments.kind, &arguments.from) else {
        return Err(Failure::new(Exit::Other, "name a gateway and a source"));
    };
    let name = arguments.source_name.as_deref();
    let environment = |name: &str| std::env::var(name).ok();
    let place = Place::parse(from);
    let asked = understand(kind, &place, name, &environment, arguments.dry_run).await;
    let mut asked = asked.map_err(|error| about_source(&place, error))?;
    if let Some(balance) = arguments.balance_usd {
        asked.give_each(balance.nanos())?;
    }
    let report = run_import(means, &by, asked, &mut Watch::Nobody).await?;
    print(arguments.json, &report, print_report)?;
    Ok(!arguments.dry_run)
}

/// A file is named; an address has a password in it.
fn about_source(place: &Place, error: ImportError) -> Failure {
    match (place, error) {
        (Place::File(path), ImportError::Source(text)) => {
            Failure::new(Exit::Other, format!("{}: {text}", path.display()))
        }
        (_, other) => other.into(),
    }
}

fn print<T: serde::Serialize>(
    as_json: bool,
    report: &T,
    as_text: fn(&T, &mut dyn io::Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = io::stdout();
    if as_json {
        let text = serde_json::to_string(report).map_err(anyhow::Error::from)?;
        writeln!(out, "{text}")?;
    } else {
        as_text(report, &mut out)?;
    }
    Ok(())
}

fn print_report(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    match report.import_id {
        Some(id) => writeln!(
            out,
            "import {id} from {} ({})",
            report.source, report.format
        )?,
        None => writeln!(out, "dry run of {} ({})", report.source, report.format)?,
    }
    for count in &report.counts {
        writeln!(
            out,
            "{}: {} found, {} carried over, {} known, {} left out",
            count.entity, count.found, count.created, count.known, count.left_out
        )?;
    }
    writeln!(
        out,
        "credited: {} dollars to wallets, {} dollars of referral earnings",
        report.credited_usd, report.referral_usd
    )?;
    print_notes(&report.notes, out)?;
    match report.import_id {
        Some(id) => writeln!(out, "to undo it: modelgate import --undo {id}"),
        None => writeln!(out, "nothing was changed"),
    }
}

fn print_undo(report: &UndoReport, out: &mut dyn io::Write) -> io::Result<()> {
    for count in &report.counts {
        writeln!(
            out,
            "{}: {} taken out, {} kept",
            count.entity, count.removed, count.kept
        )?;
    }
    writeln!(out, "booked back: {} dollars", report.returned_usd)?;
    print_notes(&report.notes, out)
}

fn print_notes(notes: &[Note], out: &mut dyn io::Write) -> io::Result<()> {
    for note in notes {
        let effect = match note.effect {
            Effect::LeftOut => "left out",
            Effect::Changed => "changed",
            Effect::Attention => "look at",
        };
        let more = match usize::try_from(note.count).unwrap_or(usize::MAX) {
            count if count > note.items.len() => ", …",
            _ => "",
        };
        writeln!(
            out,
            "{effect}: {} {}: {} ({}{more})",
            note.count,
            note.entity,
            note.reason,
            note.items.join(", ")
        )?;
    }
    Ok(())
}

async fn list(means: Means<'_>, as_json: bool) -> Result<(), Failure> {
    let mut out = io::stdout();
    let page = store::Page {
        number: 1,
        size: 100,
    };
    let records = means.store.read();
    let mut listed = Vec::new();
    for import in imports::list(records, page).await?.items {
        let left = imports::items_of(records, import.id).await?;
        let state = format!("{:?}", import.state).to_lowercase();
        if as_json {
            let (id, source, format) = (import.id.0, import.source, import.format);
            listed.push(json!({"id": id, "source": source, "format": format, "state": state, "records": left}));
        } else {
            writeln!(
                out,
                "{} {} ({}), {state}, {left} records",
                import.id, import.source, import.format
            )?;
        }
    }
    if as_json {
        writeln!(out, "{}", Value::Array(listed))?;
    }
    Ok(())
}
