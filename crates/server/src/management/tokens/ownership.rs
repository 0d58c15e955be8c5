//! Whose token it is, and what the caller may do with it. Somebody else's token does not exist for a
//! user; administrators read, pause and delete tokens of those they may manage.

use store::tokens::{self, Purpose, Token};
use store::users::{self, User};
use store::{ConnectionTrait, TokenId};

use crate::management::frame::{ApiError, Identity, may_manage};

/// A token and its owner, for reading.
pub async fn readable(
    records: &impl ConnectionTrait,
    actor: &Identity,
    id: i64,
) -> Result<(Token, User), ApiError> {
    let missing = || ApiError::not_found("The token");
    let token = tokens::get(records, TokenId(id)).await?;
    let token = token.filter(|token| token.purpose == Purpose::Api);
    let token = token.ok_or_else(missing)?;
    if token.user_id == actor.id() {
        return Ok((token, actor.user.clone()));
    }
    if !actor.is_administrator() {
        return Err(missing());
    }
    let owner = users::get(records, token.user_id).await?;
    Ok((token, owner.ok_or_else(missing)?))
}

/// A token and its owner, for changing.
pub async fn editable(
    records: &impl ConnectionTrait,
    actor: &Identity,
    id: i64,
) -> Result<(Token, User), ApiError> {
    let (token, owner) = readable(records, actor, id).await?;
    if owner.id != actor.id() {
        may_manage(actor, &owner)?;
    }
    if token.is_declared {
        let text = "The configuration file declares this token; change it there.";
        return Err(ApiError::conflict(text).with_code("declared"));
    }
    Ok((token, owner))
}

/// One's own token: nobody else may learn its secret.
pub async fn own(
    records: &impl ConnectionTrait,
    actor: &Identity,
    id: i64,
) -> Result<Token, ApiError> {
    let (token, owner) = editable(records, actor, id).await?;
    if owner.id != actor.id() {
        return Err(ApiError::forbidden(
            "Only its owner may give a token a new secret.",
        ));
    }
    Ok(token)
}
