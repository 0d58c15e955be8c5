//! Passkeys (WebAuthn): the checks of the two ceremonies, by the specification's list, for
//! authenticators that vouch for nothing but their key (attestation `none`). It keeps no state.

mod cbor;
mod ceremony;
mod client_data;
mod public_key;

pub use ceremony::{
    Assertion, Credential, CredentialKind, NotAPasskey, Registration, RelyingParty, assert,
    register,
};
pub use public_key::ALGORITHMS;
