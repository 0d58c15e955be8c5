//! Typed row ids, so that a token's id cannot be taken for a user's.

use sea_orm::DeriveValueType;
use serde::{Deserialize, Serialize};

macro_rules! ids {
    ($($(#[$documentation:meta])+ $name:ident;)+) => {
        $(
            $(#[$documentation])+
            #[derive(
                Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
                DeriveValueType,
            )]
            pub struct $name(pub i64);

            impl std::fmt::Display for $name {
                fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    self.0.fmt(formatter)
                }
            }
        )+
    };
}

ids! {
    /// A user.
    UserId;
    /// A group of users.
    GroupId;
    /// A login session.
    SessionId;
    /// A passkey.
    PasskeyId;
    /// A linked identity.
    IdentityId;
    /// A personal access token.
    AccessTokenId;
    /// A token.
    TokenId;
    /// A channel.
    ChannelId;
    /// One key of a channel.
    ChannelKeyId;
    /// One price of a model.
    PriceId;
    /// A slice of a wallet.
    LeaseId;
    /// A redemption code.
    RedemptionCodeId;
    /// An import from another gateway.
    ImportId;
    /// An announcement.
    AnnouncementId;
    /// An incident.
    IncidentId;
}
