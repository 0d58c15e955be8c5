//! What every vendor's file says: where a call goes, in which format, and how it is signed. What is
//! common to many vendors is here or beside; nothing here sends anything.

use std::borrow::Cow;

use crate::credential::{API_KEY, CredentialField};
use crate::path_segment::query_value;
use crate::signing::google_service_account::ServiceAccount;
use crate::vendors::bedrock::AmazonFrames;
use crate::{
    BadCredential, BadPathSegment, BaseUrl, Credential, Format, KeyFields, NoObject, Operation,
    SignError, Stamp, UpstreamRequest,
};

/// One thing to ask of an upstream.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// What is wanted.
    pub operation: Operation,
    /// In which of the formats that [`Provider::formats`] offers.
    pub format: Format,
    /// The upstream's name of the model; empty for a list of models.
    pub model: &'a str,
    /// Whether the answer is to be streamed.
    pub stream: bool,
    /// The page of a list of models, by what the page before said.
    pub cursor: Option<&'a str>,
}

impl<'a> Call<'a> {
    /// A call whose answer comes whole.
    pub fn new(operation: Operation, format: Format, model: &'a str) -> Self {
        Self {
            operation,
            format,
            model,
            stream: false,
            cursor: None,
        }
    }

    /// The same, streamed or not.
    #[must_use]
    pub fn streamed(self, stream: bool) -> Self {
        Self { stream, ..self }
    }

    /// The parameter that asks for the page after the one before, to be added to a query; empty for
    /// the first page.
    pub(crate) fn next_page(&self, name: &str) -> String {
        self.cursor
            .map(|cursor| format!("&{name}={}", query_value(cursor)))
            .unwrap_or_default()
    }
}

/// A call that has no place at this vendor.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unroutable {
    /// The vendor does not do this, or not in this format.
    #[error("the provider does not offer this operation")]
    Operation,
    /// The model's name cannot be part of a path.
    #[error(transparent)]
    Model(#[from] BadPathSegment),
    /// The path needs a part of the credential that is missing.
    #[error(transparent)]
    Credential(#[from] BadCredential),
    /// The base URL and the path do not make an address.
    #[error("the address of the call cannot be built")]
    Address,
    /// The body had to be changed and is no JSON object.
    #[error(transparent)]
    Body(#[from] NoObject),
}

/// How the frames of a streamed answer are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamFraming {
    /// As the format's dialect has it.
    Dialect,
    /// Amazon's binary event stream around the frames of the messages dialect.
    AmazonMessages,
    /// Amazon's binary event stream with events of its own.
    AmazonConverse,
}

impl StreamFraming {
    /// What unwraps an answer into server-sent events before its dialect reads it. None: the
    /// dialect reads it as it comes.
    pub fn unwrapping(self) -> Option<AmazonFrames> {
        match self {
            Self::Dialect => None,
            Self::AmazonMessages => Some(AmazonFrames::of_messages()),
            Self::AmazonConverse => Some(AmazonFrames::of_converse()),
        }
    }
}

/// A vendor. The first six have no default.
pub trait Provider: Send + Sync {
    /// Its name in configuration files.
    fn id(&self) -> &'static str;

    /// What people call it.
    fn label(&self) -> &'static str;

    /// Its address; empty where every customer has one of their own.
    fn default_base_url(&self) -> &'static str;

    /// The formats in which it does this with this model, the one it does best first. Empty: it
    /// does not do it.
    fn formats(&self, operation: Operation, model: &str) -> &'static [Format];

    /// The path of a call under the base URL, query included.
    fn path(
        &self,
        call: &Call<'_>,
        base: &BaseUrl,
        credential: &Credential,
    ) -> Result<Cow<'static, str>, Unroutable>;

    /// Puts the credential into a request that is otherwise complete. Called by
    /// [`crate::Signer`], which has checked that the credential is for this origin.
    fn sign(&self, request: &mut UpstreamRequest, stamp: &Stamp<'_>) -> Result<(), SignError>;

    /// What a credential consists of.
    fn credential_fields(&self) -> &'static [CredentialField] {
        const { &[CredentialField::required(API_KEY, "API key")] }
    }

    /// Reads a key, where the vendor's customers write it in a way of their own.
    fn read_key(&self, text: &str) -> Result<KeyFields, BadCredential> {
        KeyFields::parse(text)
    }

    /// The base URL of a customer who gave none, where the key tells it.
    fn base_url_of_key(&self, _key: &KeyFields) -> Option<String> {
        None
    }

    /// Where lists of models are kept, where that is another host of the same vendor.
    fn list_base_url(&self, _base: &BaseUrl) -> Option<String> {
        None
    }

    /// The prefix under which paths are, where operators may write more of it than is needed.
    fn tidy_base_url(&self, base: BaseUrl) -> BaseUrl {
        base
    }

    /// Changes what the vendor wants otherwise than its format says.
    fn adjust(&self, _call: &Call<'_>, _request: &mut UpstreamRequest) -> Result<(), NoObject> {
        Ok(())
    }

    /// How a streamed answer of this call is framed.
    fn framing(&self, _call: &Call<'_>) -> StreamFraming {
        StreamFraming::Dialect
    }

    /// The account whose access token signs calls, where the credential is one.
    fn service_account(
        &self,
        _credential: &Credential,
    ) -> Result<Option<ServiceAccount>, BadCredential> {
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_asked_for_by_what_the_one_before_said() {
        let first = Call::new(Operation::ListModels, Format::Common, "");
        assert_eq!(first.next_page("after"), "");
        let second = Call {
            cursor: Some("a b&c"),
            ..first
        };
        assert_eq!(second.next_page("after"), "&after=a%20b%26c");
    }
}
