//! LiteLLM's database as a plan: users, teams and keys. Its models are encrypted there, and come from its
//! configuration file.

use super::accounts::{self, TEAM_TABLE, USER_TABLE, USERS};
use super::bounds::Budgets;
use super::keys::{KEY_TABLE, Keys, TOKENS, has_orphans};
use crate::imports::error::ImportError;
use crate::imports::plan::Plan;
use crate::imports::report::{Effect, Findings};
use crate::imports::table::Tables;

/// The table of limits that many share.
const BUDGET_TABLE: &str = "LiteLLM_BudgetTable";

/// Tables that are told of in words of their own.
const MODELS: [&str; 2] = ["LiteLLM_ProxyModelTable", "LiteLLM_CredentialsTable"];

/// Reads everything.
pub fn plan_of_database(tables: &Tables, findings: &mut Findings) -> Result<Plan, ImportError> {
    if !tables.has(KEY_TABLE) {
        return Err(ImportError::source(
            "there is no table `LiteLLM_VerificationToken`: is this a database of LiteLLM?",
        ));
    }
    findings.count(USERS);
    findings.count(TOKENS);
    let budgets = tables.rows(BUDGET_TABLE);
    let budgets: Budgets<'_> = budgets
        .filter_map(|row| Some((row.text("budget_id")?, row)))
        .collect();
    let mut users = accounts::read(tables, &budgets, findings);
    let tokens = Keys::new(tables, &budgets).read(tables, findings);
    if has_orphans(&tokens) {
        users.push(accounts::nobody(findings));
    }
    if !users.is_empty() {
        let reason = "LiteLLM knows no balances: an account begins with what the import is told to \
                      give each (`--balance-usd`, `balance_usd` in the query), else with nothing, and \
                      its calls are refused";
        let item = format!("{} accounts", users.len());
        findings.notes.add(USERS, Effect::Attention, item, reason);
    }
    name_other_tables(tables, findings);
    Ok(Plan {
        users,
        tokens,
        ..Plan::default()
    })
}

fn name_other_tables(tables: &Tables, findings: &mut Findings) {
    let known = [KEY_TABLE, USER_TABLE, TEAM_TABLE, BUDGET_TABLE];
    for table in &tables.others {
        if known.contains(&table.as_str()) || table.starts_with("_prisma") {
            continue;
        }
        let (effect, reason) = if MODELS.contains(&table.as_str()) {
            (
                Effect::Attention,
                "models and credentials are encrypted in LiteLLM's database: import its \
                 configuration file too, or make channels",
            )
        } else {
            (Effect::LeftOut, "this table is not carried over")
        };
        findings.notes.add("tables", effect, table, reason);
    }
}
