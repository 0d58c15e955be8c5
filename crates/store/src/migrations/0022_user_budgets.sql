-- Budgets of users, beside those of their tokens; null: none.
ALTER TABLE users ADD COLUMN budget_total_nanos BIGINT CHECK (budget_total_nanos >= 0);
ALTER TABLE users ADD COLUMN budget_daily_nanos BIGINT CHECK (budget_daily_nanos >= 0);
ALTER TABLE users ADD COLUMN budget_weekly_nanos BIGINT CHECK (budget_weekly_nanos >= 0);
ALTER TABLE users ADD COLUMN budget_monthly_nanos BIGINT CHECK (budget_monthly_nanos >= 0);
