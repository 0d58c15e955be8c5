//! The one incident that cannot be written down while it lasts: the database is away. People are told
//! directly, by one node; the record follows when the database is back.

use serde_json::json;
use store::incidents::{self as records, EventKind, Incident, Severity, Sighting};
use store::{StoreError, Transaction};

use super::message::Message;
use super::note::EventNote;
use super::rule::Rule;
use super::watch::found;
use super::{alerts, finding::Finding};
use crate::app::App;
use crate::config::{AlertsConfig, Config, IncidentsConfig};

/// Nodes that still share something tell people once, through this lock.
const LOCK: &str = "incident:database_lost";
const LOCK_MS: u64 = 600_000;
/// Where nobody could be told, it is tried again after so long.
const PAUSE_MS: i64 = 30_000;

/// An outage of the database, as this node sees it.
#[derive(Debug, Default)]
pub(super) struct Outage {
    since: Option<i64>,
    /// Whether people know, from this node or from another.
    is_told: bool,
    next_try: i64,
}

/// An outage that is over and long enough to be noted.
#[derive(Debug)]
pub(super) struct Over {
    seen: Sighting,
    is_told: bool,
}

impl Outage {
    /// The database is still away.
    pub(super) async fn goes_on(&mut self, app: &App, config: &Config, now: i64) {
        let since = *self.since.get_or_insert(now);
        let rules = &config.incidents;
        let is_due = now - since >= Rule::DatabaseLost.wait_ms(rules) && now >= self.next_try;
        if self.is_told || !is_due || Rule::DatabaseLost.is_off(rules) {
            return;
        }
        self.next_try = now + PAUSE_MS;
        let lock = app.shared().acquire_lock(LOCK, app.node(), LOCK_MS, now);
        if !lock.await.unwrap_or(true) {
            self.is_told = true;
            return;
        }
        let message = Message::of_sighting("opened", &sighting(app, since), app.node());
        let targets = alerts::targets(&config.alerts, Severity::Critical);
        tracing::warn!("incident: the database is away; people are told directly");
        self.is_told = true;
        for target in targets {
            if let Err(error) = alerts::send(app, config, &target, &message).await {
                tracing::warn!(%error, target, "an alert could not be sent; trying again");
                self.is_told = false;
            }
        }
    }

    /// The database answers. Gives what is to be noted, where there was an outage that lasted.
    pub(super) fn ends(&mut self, app: &App, rules: &IncidentsConfig, now: i64) -> Option<Over> {
        let outage = std::mem::take(self);
        let since = outage.since?;
        let has_lasted = now - since >= Rule::DatabaseLost.wait_ms(rules);
        let is_wanted = has_lasted && !Rule::DatabaseLost.is_off(rules);
        is_wanted.then(|| Over {
            seen: sighting(app, since),
            is_told: outage.is_told,
        })
    }
}

impl Over {
    /// Notes the outage; none where another node has.
    pub(super) async fn note(
        self,
        transaction: &Transaction,
        app: &App,
        alerts: &AlertsConfig,
        now: i64,
    ) -> Result<Option<Incident>, StoreError> {
        if records::see(transaction, &self.seen, now).await? {
            return Ok(None);
        }
        let new = records::open(transaction, &self.seen, app.node(), now, now).await?;
        let Some(incident) = new else {
            return Ok(None);
        };
        let (kind, note) = (EventKind::Opened, found(&incident).written());
        let since = incident.opened_at;
        records::note(transaction, incident.id, kind, None, &note, since).await?;
        if self.is_told {
            let (kind, note) = (EventKind::Notified, EventNote::ToldMeanwhile.written());
            records::note(transaction, incident.id, kind, None, &note, now).await?;
        } else {
            alerts::enqueue(transaction, alerts, &incident, "opened", now).await?;
        }
        Ok(Some(incident))
    }
}

fn sighting(app: &App, since: i64) -> Sighting {
    let title = "The database is away";
    let summary = "Calls within leases go on and are settled from the journal; beyond them they are \
                   refused with 503.";
    let facts = json!({"node": app.node()});
    Finding::of_service(
        Rule::DatabaseLost,
        Severity::Critical,
        (title, summary),
        facts,
    )
    .seen_since(since)
}
