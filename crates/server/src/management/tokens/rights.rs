//! What a token may be allowed: fields of its making and of its changes, read and checked.

use std::net::IpAddr;
use std::str::FromStr as _;

use ipnet::IpNet;
use store::ConnectionTrait;
use store::tokens::TokenChanges;
use store::users::User;

use crate::management::allowance::{DollarText, budget, limit};
use crate::management::frame::{ApiError, Moment, Patch};
use crate::management::group_choice;
use crate::model_pattern::check;

const LONGEST_NAME: usize = 64;
const LONGEST_WORD: usize = 256;
const MOST_ENTRIES: usize = 1_000;

/// An input with rights and limits beside fields of its own. A budget in dollars counts where the one
/// in quota units is absent.
macro_rules! with_rights {
    (
        $(#[$about:meta])*
        $name:ident {
            $($(#[$doc:meta])* $field:ident: $kind:ty,)*
        }
    ) => {
        $(#[$about])*
        #[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
        pub struct $name {
            $($(#[$doc])* $field: $kind,)*
            /// The group it calls as; `null`: its owner's.
            #[serde(default)]
            group: $crate::management::frame::Patch<String>,
            /// Models it may use, a `*` at the end of a name for anything; empty: all.
            #[serde(default)]
            models: $crate::management::frame::Patch<Vec<String>>,
            /// Endpoints it may call, such as `/v1/chat/completions`; empty: all.
            #[serde(default)]
            endpoints: $crate::management::frame::Patch<Vec<String>>,
            /// Networks or addresses it may be used from; empty: all.
            #[serde(default)]
            cidrs: $crate::management::frame::Patch<Vec<String>>,
            /// Calls a minute; `null` or 0: no limit.
            #[serde(default)]
            rpm: $crate::management::frame::Patch<i64>,
            /// Model tokens a minute; `null` or 0: no limit.
            #[serde(default)]
            tpm: $crate::management::frame::Patch<i64>,
            /// Calls at once; `null` or 0: no limit.
            #[serde(default)]
            concurrency: $crate::management::frame::Patch<i64>,
            /// What it may ever spend.
            #[serde(default)]
            budget_total: $crate::management::frame::Patch<i64>,
            /// The same in dollars.
            #[serde(default)]
            budget_total_usd: $crate::management::frame::Patch<$crate::management::allowance::DollarText>,
            /// What it may spend a day.
            #[serde(default)]
            budget_daily: $crate::management::frame::Patch<i64>,
            /// The same in dollars.
            #[serde(default)]
            budget_daily_usd: $crate::management::frame::Patch<$crate::management::allowance::DollarText>,
            /// What it may spend a week.
            #[serde(default)]
            budget_weekly: $crate::management::frame::Patch<i64>,
            /// The same in dollars.
            #[serde(default)]
            budget_weekly_usd: $crate::management::frame::Patch<$crate::management::allowance::DollarText>,
            /// What it may spend a month.
            #[serde(default)]
            budget_monthly: $crate::management::frame::Patch<i64>,
            /// The same in dollars.
            #[serde(default)]
            budget_monthly_usd: $crate::management::frame::Patch<$crate::management::allowance::DollarText>,
            /// When it ends; `null`: never.
            #[serde(default)]
            expires_at: $crate::management::frame::Patch<$crate::management::frame::Moment>,
        }

        impl $name {
            /// The rights and limits in it.
            fn take_rights(&mut self) -> $crate::management::tokens::rights::Rights {
                use std::mem::take;
                $crate::management::tokens::rights::Rights {
                    group: take(&mut self.group),
                    models: take(&mut self.models),
                    endpoints: take(&mut self.endpoints),
                    cidrs: take(&mut self.cidrs),
                    rpm: take(&mut self.rpm),
                    tpm: take(&mut self.tpm),
                    concurrency: take(&mut self.concurrency),
                    budget_total: take(&mut self.budget_total),
                    budget_total_usd: take(&mut self.budget_total_usd),
                    budget_daily: take(&mut self.budget_daily),
                    budget_daily_usd: take(&mut self.budget_daily_usd),
                    budget_weekly: take(&mut self.budget_weekly),
                    budget_weekly_usd: take(&mut self.budget_weekly_usd),
                    budget_monthly: take(&mut self.budget_monthly),
                    budget_monthly_usd: take(&mut self.budget_monthly_usd),
                    expires_at: take(&mut self.expires_at),
                }
            }
        }
    };
}
pub(super) use with_rights;

/// Rights and limits as they came in; none of them is required.
#[derive(Debug)]
pub struct Rights {
    pub group: Patch<String>,
    pub models: Patch<Vec<String>>,
    pub endpoints: Patch<Vec<String>>,
    pub cidrs: Patch<Vec<String>>,
    pub rpm: Patch<i64>,
    pub tpm: Patch<i64>,
    pub concurrency: Patch<i64>,
    pub budget_total: Patch<i64>,
    pub budget_total_usd: Patch<DollarText>,
    pub budget_daily: Patch<i64>,
    pub budget_daily_usd: Patch<DollarText>,
    pub budget_weekly: Patch<i64>,
    pub budget_weekly_usd: Patch<DollarText>,
    pub budget_monthly: Patch<i64>,
    pub budget_monthly_usd: Patch<DollarText>,
    pub expires_at: Patch<Moment>,
}

impl Rights {
    /// The changes for the records. The owner's rights bound the token's.
    pub async fn check(
        self,
        records: &impl ConnectionTrait,
        owner: &User,
    ) -> Result<TokenChanges, ApiError> {
        let group_name = self
            .group
            .into_change()
            .map(|name| name.filter(|n| !n.is_empty()));
        if let Some(Some(name)) = &group_name {
            group_choice::check(records, owner, name).await?;
        }
        Ok(TokenChanges {
            group_name,
            models: models(self.models)?,
            endpoints: endpoints(self.endpoints)?,
            cidrs: networks(self.cidrs)?,
            rpm: limit("rpm", self.rpm)?.into_change(),
            tpm: limit("tpm", self.tpm)?.into_change(),
            concurrency: limit("concurrency", self.concurrency)?.into_change(),
            budget_total_nanos: budget("budget_total", &self.budget_total, self.budget_total_usd)?
                .into_change(),
            budget_daily_nanos: budget("budget_daily", &self.budget_daily, self.budget_daily_usd)?
                .into_change(),
            budget_weekly_nanos: budget(
                "budget_weekly",
                &self.budget_weekly,
                self.budget_weekly_usd,
            )?
            .into_change(),
            budget_monthly_nanos: budget(
                "budget_monthly",
                &self.budget_monthly,
                self.budget_monthly_usd,
            )?
            .into_change(),
            expires_at: self
                .expires_at
                .into_change()
                .map(|end| end.map(|end| end.0)),
            ..TokenChanges::default()
        })
    }
}

/// A token's name.
pub fn name(text: &str) -> Result<String, ApiError> {
    let text = text.trim();
    let length = text.chars().count();
    if length == 0 || length > LONGEST_NAME || text.chars().any(char::is_control) {
        let problem = "must have 1 to 64 visible characters";
        return Err(ApiError::bad_field("name", problem));
    }
    Ok(text.to_owned())
}

fn words(field: &str, patch: Patch<Vec<String>>) -> Result<Option<Vec<String>>, ApiError> {
    let Some(list) = patch.or_cleared(Vec::new()) else {
        return Ok(None);
    };
    if list.len() > MOST_ENTRIES {
        return Err(ApiError::bad_field(field, "has too many entries"));
    }
    let mut known: Vec<String> = Vec::with_capacity(list.len());
    for (index, word) in list.iter().enumerate() {
        let word = word.trim();
        if word.is_empty() || word.len() > LONGEST_WORD || word.chars().any(char::is_control) {
            let place = format!("{field}[{index}]");
            return Err(ApiError::bad_field(&place, "must be a name"));
        }
        if !known.iter().any(|other| other == word) {
            known.push(word.to_owned());
        }
    }
    Ok(Some(known))
}

fn models(patch: Patch<Vec<String>>) -> Result<Option<Vec<String>>, ApiError> {
    let list = words("models", patch)?;
    for (index, entry) in list.iter().flatten().enumerate() {
        let place = format!("models[{index}]");
        check(entry, None).map_err(|problem| ApiError::bad_field(&place, problem))?;
    }
    Ok(list)
}

fn endpoints(patch: Patch<Vec<String>>) -> Result<Option<Vec<String>>, ApiError> {
    let list = words("endpoints", patch)?;
    for (index, path) in list.iter().flatten().enumerate() {
        if !path.starts_with('/') {
            let place = format!("endpoints[{index}]");
            let problem = "must be a path such as /v1/chat/completions";
            return Err(ApiError::bad_field(&place, problem));
        }
    }
    Ok(list)
}

fn networks(patch: Patch<Vec<String>>) -> Result<Option<Vec<String>>, ApiError> {
    let Some(list) = words("cidrs", patch)? else {
        return Ok(None);
    };
    let parse = |(index, text): (usize, &String)| {
        let address = || text.parse::<IpAddr>().map(IpNet::from).ok();
        let network = IpNet::from_str(text).ok().or_else(address);
        network.map(|network| network.to_string()).ok_or_else(|| {
            let place = format!("cidrs[{index}]");
            ApiError::bad_field(&place, "must be a network such as 10.0.0.0/8 or an address")
        })
    };
    let list: Result<Vec<String>, ApiError> = list.iter().enumerate().map(parse).collect();
    list.map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_names_and_patterns() {
        let given = ["gpt-4o", "openai/*", "*", "gpt-4o"].map(str::to_owned);
        let kept = models(Patch::Set(given.to_vec())).unwrap().unwrap();
        assert_eq!(kept, ["gpt-4o", "openai/*", "*"]);
        let refused = models(Patch::Set(vec!["a".to_owned(), "a*b".to_owned()]));
        assert!(format!("{refused:?}").contains("models[1]"));
    }

    #[test]
    fn addresses_and_networks_are_kept_in_one_form() {
        let given = ["10.0.0.0/8", "192.0.2.7", "2001:db8::1"].map(str::to_owned);
        let kept = networks(Patch::Set(given.to_vec())).unwrap().unwrap();
        assert_eq!(kept, ["10.0.0.0/8", "192.0.2.7/32", "2001:db8::1/128"]);
        let refused = networks(Patch::Set(vec!["10.0.0.0/8".to_owned(), "x".to_owned()]));
        assert!(format!("{refused:?}").contains("cidrs[1]"));
        assert_eq!(networks(Patch::Clear).unwrap(), Some(vec![]));
    }
}
