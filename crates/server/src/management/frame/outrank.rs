//! The outranking rule, in its one place: nobody manages somebody of their own level or above,
//! root aside.

use store::users::{Role, User};

use super::access::Identity;
use super::reply::ApiError;

/// Refuses an actor who may not manage this user.
pub fn may_manage(actor: &Identity, target: &User) -> Result<(), ApiError> {
    if outranks(actor.user.role, target.role) {
        return Ok(());
    }
    Err(ApiError::forbidden(
        "You may not manage somebody of your own level or above.",
    ))
}

/// Refuses an actor who may not give this role: nobody makes others their equal, root aside.
pub fn may_give(actor: &Identity, role: Role) -> Result<(), ApiError> {
    if outranks(actor.user.role, role) {
        return Ok(());
    }
    Err(ApiError::forbidden(
        "You may not give a role of your own level or above.",
    ))
}

fn outranks(actor: Role, target: Role) -> bool {
    actor == Role::Root || actor > target
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_root_manages_its_own_level() {
        use Role::{Administrator, Root, User};
        for (actor, target, may) in [
            (User, User, false),
            (Administrator, User, true),
            (Administrator, Administrator, false),
            (Administrator, Root, false),
            (Root, Administrator, true),
            (Root, Root, true),
        ] {
            assert_eq!(outranks(actor, target), may, "{actor:?} {target:?}");
        }
    }
}
