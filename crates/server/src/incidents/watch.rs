//! One look at everything: what is wrong becomes an incident once it has lasted, what is not seen any
//! more is over. Every node looks for itself; that a cause has one incident is decided by the
//! records.

use std::collections::HashMap;

use store::incidents::{self as records, EventKind, Incident};
use store::{StoreError, Transaction};

use super::acts::Acts;
use super::alerts;
use super::finding::Finding;
use super::note::EventNote;
use super::observe::{self, CallWindow};
use super::outage::Outage;
use super::rule::Rule;
use crate::app::App;
use crate::config::{AlertsConfig, IncidentsConfig};

/// What changes slowly, or asks the records, is looked at so often.
const SLOW_EVERY_MS: i64 = 30_000;
/// What was over long ago is forgotten so often.
const FORGOTTEN_EVERY_MS: i64 = 3_600_000;
const DAY_MS: i64 = 86_400_000;

/// What a node remembers between two looks.
#[derive(Debug)]
pub struct Watch {
    /// Since when each cause is seen here.
    since: HashMap<(Rule, String), i64>,
    calls: CallWindow,
    outage: Outage,
    acts: Acts,
    /// What the last slow look found.
    slow: Vec<Finding>,
    next_slow: i64,
    next_forgotten: i64,
}

impl Watch {
    /// A watch that begins now.
    pub fn new(app: &App) -> Self {
        Self {
            since: HashMap::new(),
            calls: CallWindow::new(app),
            outage: Outage::default(),
            acts: Acts::default(),
            slow: Vec::new(),
            next_slow: 0,
            next_forgotten: 0,
        }
    }

    /// Looks once.
    pub async fn look(&mut self, app: &App) -> Result<(), StoreError> {
        let now = app.clock().now_ms();
        let config = app.config_in_full();
        let rules = &config.incidents;
        let is_away = observe::is_database_away(app).await;
        let mut found = observe::channels(&app.channels().snapshot());
        found.extend(observe::dependencies(app, rules));
        found.extend(observe::losses(app, rules, now));
        let since = &self.since;
        let is_known = |rule: Rule, cause: &str| since.contains_key(&(rule, cause.to_owned()));
        found.extend(self.calls.look(app, rules, &is_known, now));
        if is_away {
            self.outage.goes_on(app, &config, now).await;
            // Nothing can be noted now; what lasts is noted afterwards.
            self.remember(&found, now);
            return Ok(());
        }
        let over = self.outage.ends(app, rules, now);
        self.look_slowly(app, rules, now).await?;
        found.extend(self.slow.iter().cloned());
        found.retain(|finding| !finding.rule.is_off(rules));
        self.remember(&found, now);
        self.note(app, found, over, now).await?;
        self.acts.look(app, now).await?;
        self.close(app, rules, now).await?;
        self.forget(app, now).await
    }

    async fn look_slowly(
        &mut self,
        app: &App,
        rules: &IncidentsConfig,
        now: i64,
    ) -> Result<(), StoreError> {
        if now < self.next_slow {
            return Ok(());
        }
        let mut found = observe::nodes(app, now).await?;
        found.extend(observe::spending(app, rules, now).await?);
        found.extend(observe::payments(app, now).await?);
        found.extend(observe::host(app, rules, now));
        self.slow = found;
        self.next_slow = now + SLOW_EVERY_MS;
        Ok(())
    }

    /// Remembers since when everything is seen, and forgets what is not.
    fn remember(&mut self, found: &[Finding], now: i64) {
        let key = |finding: &Finding| (finding.rule, finding.cause.clone());
        let was = std::mem::take(&mut self.since);
        let since = |key: &(Rule, String)| was.get(key).copied().unwrap_or(now);
        self.since = found
            .iter()
            .map(key)
            .map(|key| {
                let since = since(&key);
                (key, since)
            })
            .collect();
    }

    /// Opens what has lasted long enough, and says of the rest that it is still seen.
    async fn note(
        &self,
        app: &App,
        found: Vec<Finding>,
        over: Option<super::outage::Over>,
        now: i64,
    ) -> Result<(), StoreError> {
        if found.is_empty() && over.is_none() {
            return Ok(());
        }
        let config = app.config_in_full();
        let rules = &config.incidents;
        let transaction = app.store().write().await?;
        let mut opened = Vec::new();
        for finding in found {
            let rule = finding.rule;
            let key = (rule, finding.cause.clone());
            let since = self.since.get(&key).copied().unwrap_or(now);
            let seen = finding.seen_since(since);
            if records::see(&transaction, &seen, now).await? || now - since < rule.wait_ms(rules) {
                continue;
            }
            let quiet_since = rule.quiet_since(rules, now);
            let new = records::open(&transaction, &seen, app.node(), quiet_since, now).await?;
            if let Some(incident) = new {
                begin(&transaction, &incident, &config.alerts, now).await?;
                opened.push(incident);
            }
        }
        if let Some(over) = over
            && let Some(incident) = over.note(&transaction, app, &config.alerts, now).await?
        {
            opened.push(incident);
        }
        transaction.commit().await?;
        for incident in opened {
            let (rule, title) = (&incident.rule, &incident.title);
            let id = incident.id.0;
            tracing::warn!(id, rule, title, "incident opened");
        }
        Ok(())
    }

    /// Closes what no node sees any more.
    async fn close(&self, app: &App, rules: &IncidentsConfig, now: i64) -> Result<(), StoreError> {
        let open = records::open_count(app.store().read()).await?;
        app.metrics().note_open_incidents(open);
        if open == 0 {
            return Ok(());
        }
        let unseen_since = now - i64::from(rules.recovery_s) * 1000;
        let transaction = app.store().write().await?;
        let closed = records::close_unseen(&transaction, unseen_since, now).await?;
        let config = app.config_in_full();
        for incident in &closed {
            let (kind, note) = (EventKind::Recovered, EventNote::Unseen.written());
            records::note(&transaction, incident.id, kind, None, &note, now).await?;
            alerts::enqueue(&transaction, &config.alerts, incident, "closed", now).await?;
        }
        transaction.commit().await?;
        for incident in closed {
            let (rule, title) = (&incident.rule, &incident.title);
            let id = incident.id.0;
            tracing::info!(id, rule, title, "incident over");
        }
        Ok(())
    }

    /// Forgets what was over long ago: incidents are kept as long as the audit log.
    async fn forget(&mut self, app: &App, now: i64) -> Result<(), StoreError> {
        let days = i64::from(app.config().retention.audit_log_days);
        if days == 0 || now < self.next_forgotten {
            return Ok(());
        }
        let transaction = app.store().write().await?;
        records::forget(&transaction, now - days * DAY_MS).await?;
        transaction.commit().await?;
        self.next_forgotten = now + FORGOTTEN_EVERY_MS;
        Ok(())
    }
}

/// The beginning of an incident: its first entry, and whom to tell.
async fn begin(
    transaction: &Transaction,
    incident: &Incident,
    alerts: &AlertsConfig,
    now: i64,
) -> Result<(), StoreError> {
    let (kind, note) = (EventKind::Opened, found(incident).written());
    records::note(transaction, incident.id, kind, None, &note, now).await?;
    alerts::enqueue(transaction, alerts, incident, "opened", now).await
}

/// What a rule found, for the beginning of a timeline.
pub(super) fn found(incident: &Incident) -> EventNote {
    EventNote::Found {
        summary: incident.summary.clone(),
        facts: incident.facts.0.clone(),
    }
}
