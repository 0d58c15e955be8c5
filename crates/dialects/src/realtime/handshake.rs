//! What a browser offers in `Sec-WebSocket-Protocol`, where it cannot set other headers.

use std::fmt;

use crate::canonical::Failure;

/// The one protocol that is ever selected. The element with the token must never be sent back.
pub const SUBPROTOCOL: &str = "realtime";

const TOKEN_PREFIX: &str = "openai-insecure-api-key.";
const BETA: &str = "openai-beta.realtime-v1";

/// What a client offers.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Offer {
    /// Its token.
    pub token: Option<String>,
    /// Whether it offers protocols at all: then one must be selected, or browsers hang up.
    pub offers_any: bool,
    /// Whether it offers the one that can be selected.
    pub offers_realtime: bool,
    /// Whether it speaks the older shape of events.
    pub is_beta: bool,
}

impl Offer {
    /// Reads the values of the header, which may come several times and hold several elements each.
    pub fn read<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let mut offer = Self::default();
        let elements = values.into_iter().flat_map(|value| value.split(','));
        for element in elements.map(str::trim).filter(|it| !it.is_empty()) {
            offer.offers_any = true;
            match element.strip_prefix(TOKEN_PREFIX) {
                Some(token) if !token.is_empty() && offer.token.is_none() => {
                    offer.token = Some(token.to_owned());
                }
                Some(_) => {}
                None => {
                    offer.offers_realtime |= element == SUBPROTOCOL;
                    offer.is_beta |= element == BETA;
                }
            }
        }
        offer
    }
}

/// Without the token: offers are logged.
impl fmt::Debug for Offer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Offer")
            .field("has_token", &self.token.is_some())
            .field("offers_realtime", &self.offers_realtime)
            .field("is_beta", &self.is_beta)
            .finish_non_exhaustive()
    }
}

/// The refusal of a client that speaks the older shape: its vendor has switched that off too.
pub fn refuse_beta() -> Failure {
    let message = "This client speaks the beta shape of realtime events, which is no longer served: \
                   update it, and leave out the header `OpenAI-Beta`.";
    Failure {
        code: Some("beta_api_shape_disabled".to_owned()),
        ..Failure::bad_request("OpenAI-Beta", message)
    }
}
