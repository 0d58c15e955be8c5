//! The schema, step by step: one list, one file a step (more where the engines differ).
//!
//! Steps only go forward and only add; an applied step is never edited. Versions 1 to 9 are the
//! core records, 10 to 19 the request log, the audit log and their roll-ups, 20 to 29 leases and
//! budgets, 30 to 39 what the management interface needs beside, 40 to 49 payments and tasks,
//! 50 to 59 limits, 60 and 61 results of tasks and identities, 70 and 71 imports, 72 and 73
//! incidents; from 74 on as they come.

mod runner;

pub(crate) use runner::{Migration, check, run};

/// Every step, in order.
pub(crate) const MIGRATIONS: &[Migration] = &[
    Migration::on_both(1, "accounts", include_str!("0001_accounts.sql")),
    Migration::on_both(
        2,
        "tokens and channels",
        include_str!("0002_tokens_and_channels.sql"),
    ),
    Migration {
        version: 3,
        name: "ledger",
        both: include_str!("0003_ledger.sql"),
        sqlite: include_str!("0003_ledger.sqlite.sql"),
        postgres: include_str!("0003_ledger.postgres.sql"),
    },
    Migration::on_both(4, "payments", include_str!("0004_payments.sql")),
    Migration::on_both(5, "service", include_str!("0005_service.sql")),
    Migration::on_both(10, "request log", include_str!("0010_request_log.sql")),
    Migration {
        version: 11,
        name: "audit log",
        both: "",
        sqlite: include_str!("0011_audit_log.sqlite.sql"),
        postgres: include_str!("0011_audit_log.postgres.sql"),
    },
    Migration::on_both(12, "roll-ups", include_str!("0012_rollups.sql")),
    Migration::on_both(
        13,
        "roll-ups of the service",
        include_str!("0013_service_rollups.sql"),
    ),
    Migration {
        version: 14,
        name: "attempts in the log",
        both: "",
        sqlite: include_str!("0014_attempts_in_the_log.sqlite.sql"),
        postgres: include_str!("0014_attempts_in_the_log.postgres.sql"),
    },
    Migration::on_both(20, "lease budgets", include_str!("0020_lease_budgets.sql")),
    Migration::on_both(21, "journals", include_str!("0021_journals.sql")),
    Migration::on_both(22, "user budgets", include_str!("0022_user_budgets.sql")),
    Migration::on_both(30, "token purpose", include_str!("0030_token_purpose.sql")),
    Migration::on_both(
        40,
        "payment deliveries",
        include_str!("0040_payment_deliveries.sql"),
    ),
    Migration::on_both(41, "tasks", include_str!("0041_tasks.sql")),
    Migration::on_both(
        42,
        "orders by time",
        include_str!("0042_orders_by_time.sql"),
    ),
    Migration::on_both(
        50,
        "limits of users and groups",
        include_str!("0050_user_and_group_limits.sql"),
    ),
    Migration::on_both(
        60,
        "task results and audiences",
        include_str!("0060_task_results_and_audiences.sql"),
    ),
    Migration::on_both(61, "identities", include_str!("0061_identities.sql")),
    Migration::on_both(70, "imports", include_str!("0070_imports.sql")),
    Migration::on_both(72, "incidents", include_str!("0072_incidents.sql")),
    Migration::on_both(73, "stopped nodes", include_str!("0073_stopped_nodes.sql")),
    Migration::on_both(
        74,
        "roll-ups of everything",
        include_str!("0074_total_rollups.sql"),
    ),
    Migration {
        version: 75,
        name: "tokens in order",
        both: include_str!("0075_tokens_in_order.sql"),
        sqlite: include_str!("0075_tokens_in_order.sqlite.sql"),
        postgres: include_str!("0075_tokens_in_order.postgres.sql"),
    },
    Migration {
        version: 76,
        name: "parts of users' names",
        both: "",
        sqlite: "",
        postgres: include_str!("0076_user_name_parts.postgres.sql"),
    },
    Migration::on_both(
        77,
        "short indexes of the log",
        include_str!("0077_short_log_indexes.sql"),
    ),
    Migration::on_both(78, "token channel", include_str!("0078_token_channel.sql")),
    Migration::on_both(
        79,
        "answers in the background",
        include_str!("0079_answers_in_the_background.sql"),
    ),
    Migration::on_both(
        80,
        "orders asked about",
        include_str!("0080_orders_asked_about.sql"),
    ),
    Migration::on_both(
        81,
        "rewards of orders",
        include_str!("0081_rewards_of_orders.sql"),
    ),
    Migration::on_both(
        82,
        "leases and windows that are past",
        include_str!("0082_leases_and_windows_that_are_past.sql"),
    ),
    Migration::on_both(83, "payment flags", include_str!("0083_payment_flags.sql")),
    Migration::on_both(
        84,
        "groups to choose",
        include_str!("0084_groups_to_choose.sql"),
    ),
    Migration::on_both(85, "notes", include_str!("0085_notes.sql")),
    Migration::on_both(86, "low balances", include_str!("0086_low_balances.sql")),
    Migration::on_both(
        87,
        "items of answers",
        include_str!("0087_items_of_answers.sql"),
    ),
    Migration {
        version: 88,
        name: "operator loss",
        both: "",
        sqlite: include_str!("0088_operator_loss.sqlite.sql"),
        postgres: include_str!("0088_operator_loss.postgres.sql"),
    },
    Migration::on_both(
        92,
        "session proofs",
        include_str!("0092_session_proofs.sql"),
    ),
    Migration {
        version: 93,
        name: "access token scopes",
        both: include_str!("0093_access_token_scopes.sql"),
        sqlite: include_str!("0093_access_token_scopes.sqlite.sql"),
        postgres: include_str!("0093_access_token_scopes.postgres.sql"),
    },
    Migration::on_both(
        95,
        "hosted tools of groups",
        include_str!("0095_hosted_tools_of_groups.sql"),
    ),
];

/// The newest version of the schema that this program knows.
pub fn newest() -> i64 {
    MIGRATIONS.last().map_or(0, |migration| migration.version)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps that took something away before the first release, when no older version was in use.
    const BEFORE_THE_FIRST_RELEASE: [i64; 1] = [14];

    #[test]
    fn steps_only_add_so_that_the_version_before_goes_on_working() {
        let is_old = |step: &&Migration| BEFORE_THE_FIRST_RELEASE.contains(&step.version);
        for step in MIGRATIONS.iter().filter(|step| !is_old(step)) {
            for text in [step.both, step.sqlite, step.postgres] {
                let text = text.to_ascii_uppercase();
                for word in [
                    "DROP TABLE",
                    "DROP COLUMN",
                    "RENAME ",
                    "SET NOT NULL",
                    "ALTER COLUMN",
                ] {
                    assert!(!text.contains(word), "step {} has {word}", step.version);
                }
            }
        }
    }

    #[test]
    fn versions_rise() {
        assert!(MIGRATIONS.is_sorted_by(|one, next| one.version < next.version));
        assert!(newest() > 0);
    }
}
