//! What a user's fields may be, and what must not happen to the last root.

use store::users::{self, Role, Status, User};
use store::{ConnectionTrait, UserId, groups};

use crate::app::App;
use crate::config::Secret;
use crate::management::frame::{ApiError, Patch};

const LONGEST_NAME: usize = 64;
const LONGEST_EMAIL: usize = 254;
const LONGEST_REMARK: usize = 1_000;
const LONGEST_PASSWORD: usize = 1_024;

/// A login name: visible, and without `@`, so that it is never taken for an address.
pub fn username(text: &str) -> Result<String, ApiError> {
    let text = text.trim();
    let is_fine = !text.is_empty() && is_line(text, LONGEST_NAME) && !text.contains('@');
    let problem = "must have 1 to 64 visible characters, without @";
    is_fine
        .then(|| text.to_owned())
        .ok_or_else(|| ApiError::bad_field("username", problem))
}

/// A name to show; it may be empty.
pub fn display_name(text: &str) -> Result<String, ApiError> {
    let text = text.trim();
    is_line(text, LONGEST_NAME)
        .then(|| text.to_owned())
        .ok_or_else(|| ApiError::bad_field("display_name", "must have at most 64 characters"))
}

/// A note of administrators; it may have several lines.
pub fn remark(text: &str) -> Result<String, ApiError> {
    (text.chars().count() <= LONGEST_REMARK)
        .then(|| text.to_owned())
        .ok_or_else(|| ApiError::bad_field("remark", "must have at most 1000 characters"))
}

/// An e-mail address: something on both sides of one `@`. Whether it exists, a message shows.
pub fn email(text: &str) -> Result<String, ApiError> {
    let text = text.trim();
    let parts = text.split_once('@');
    let is_fine = parts.is_some_and(|(name, host)| {
        !name.is_empty() && host.contains('.') && !host.contains('@') && !host.starts_with('.')
    });
    let is_plain = is_line(text, LONGEST_EMAIL) && !text.contains(char::is_whitespace);
    (is_fine && is_plain)
        .then(|| text.to_owned())
        .ok_or_else(|| ApiError::bad_field("email", "must be an e-mail address"))
}

/// A password that is long enough, and short enough to be hashed.
pub fn password(app: &App, password: &Secret) -> Result<(), ApiError> {
    let least = app.config().login.password_length as usize;
    let length = password.expose().chars().count();
    if length < least {
        let text = format!("must have at least {least} characters");
        return Err(ApiError::bad_field("password", &text));
    }
    if password.expose().len() > LONGEST_PASSWORD {
        return Err(ApiError::bad_field("password", "is too long"));
    }
    Ok(())
}

/// An existing group.
pub async fn group(records: &impl ConnectionTrait, name: &str) -> Result<(), ApiError> {
    match groups::get(records, name).await? {
        Some(_) => Ok(()),
        None => Err(ApiError::bad_field("group", "there is no such group")),
    }
}

/// 1, 10 or 100.
pub fn role(number: i64) -> Result<Role, ApiError> {
    match number {
        1 => Ok(Role::User),
        10 => Ok(Role::Administrator),
        100 => Ok(Role::Root),
        _ => Err(ApiError::bad_field("role", "must be 1, 10 or 100")),
    }
}

/// 1 or 2.
pub fn status(number: i64) -> Result<Status, ApiError> {
    match number {
        1 => Ok(Status::Enabled),
        2 => Ok(Status::Disabled),
        _ => Err(ApiError::bad_field(
            "status",
            "must be 1 (enabled) or 2 (disabled)",
        )),
    }
}

/// A field that cannot be empty: `null` is refused.
pub fn never_null<T>(field: &str, patch: Patch<T>) -> Result<Option<T>, ApiError> {
    match patch {
        Patch::Absent => Ok(None),
        Patch::Set(value) => Ok(Some(value)),
        Patch::Clear => Err(ApiError::bad_field(field, "must not be null")),
    }
}

/// The user of this id.
pub async fn existing(records: &impl ConnectionTrait, id: i64) -> Result<User, ApiError> {
    let user = users::get(records, UserId(id)).await?;
    user.ok_or_else(|| ApiError::not_found("The user"))
}

/// Refuses what would leave nobody who may do everything. Asked inside the writing transaction, whose
/// end others that ask wait for.
pub async fn keep_a_root(records: &impl ConnectionTrait, user: &User) -> Result<(), ApiError> {
    let is_last = user.role == Role::Root
        && user.status == Status::Enabled
        && users::other_roots(records, user.id).await? == 0;
    if is_last {
        let text = "The last enabled root user stays as it is.";
        return Err(ApiError::conflict(text).with_code("last_root"));
    }
    Ok(())
}

fn is_line(text: &str, longest: usize) -> bool {
    text.chars().count() <= longest && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_are_trimmed_and_checked() {
        assert_eq!(username(" ann ").unwrap(), "ann");
        for text in ["", "  ", "a@b", "a\nb", &"x".repeat(65)] {
            assert!(username(text).is_err(), "{text:?}");
        }
        assert_eq!(email(" a@b.example ").unwrap(), "a@b.example");
        for text in ["", "a", "a@", "@b.example", "a@b", "a@b@c.d", "a b@c.d"] {
            assert!(email(text).is_err(), "{text:?}");
        }
    }
}
