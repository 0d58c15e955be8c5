//! Every operation of the model-call interface, one entry each; a test holds them against the route
//! table.

/// How failures are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Errors {
    Chat,
    Messages,
    Generate,
}

/// What an operation takes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Takes {
    Nothing,
    Json(&'static str),
    Form(&'static str),
    /// Either of them; the form's name comes first.
    FormOrJson(&'static str, &'static str),
}

/// What it gives.
#[derive(Clone, Copy, Debug)]
pub(super) enum Gives {
    /// One JSON value.
    Json(&'static str),
    /// The same, or a stream of server-sent events where the body says `"stream": true`.
    JsonOrEvents(&'static str),
    /// A stream of events, or a JSON array without `alt=sse`.
    EventsOrArray(&'static str),
    /// Sound, or a stream of it.
    Sound,
    /// Text or JSON, as the form asks.
    TextOrEvents(&'static str),
    /// A WebSocket.
    Upgrade,
}

/// An operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    pub method: &'static str,
    pub path: &'static str,
    pub about: &'static str,
    pub takes: Takes,
    pub gives: Gives,
    pub errors: Errors,
}

const fn post(
    path: &'static str,
    about: &'static str,
    takes: Takes,
    gives: Gives,
    errors: Errors,
) -> Operation {
    Operation {
        method: "post",
        path,
        about,
        takes,
        gives,
        errors,
    }
}

const fn get(path: &'static str, about: &'static str, gives: Gives, errors: Errors) -> Operation {
    Operation {
        method: "get",
        path,
        about,
        takes: Takes::Nothing,
        gives,
        errors,
    }
}

use Errors::{Chat, Generate, Messages};
use Gives::{EventsOrArray, Json, JsonOrEvents, Sound, TextOrEvents, Upgrade};
use Takes::{Form, FormOrJson, Nothing};

/// The verbs of generate content, for a path with this beginning.
macro_rules! generate_content {
    ($prefix:literal) => {
        [
            post(
                concat!($prefix, "/models/{model}:generateContent"),
                "Generate with the generate-content format",
                Takes::Json("GenerateContentRequest"),
                Json("GenerateContentReply"),
                Generate,
            ),
            post(
                concat!($prefix, "/models/{model}:streamGenerateContent"),
                "Generate with the generate-content format, streamed",
                Takes::Json("GenerateContentRequest"),
                EventsOrArray("GenerateContentReply"),
                Generate,
            ),
            post(
                concat!($prefix, "/models/{model}:countTokens"),
                "Count the tokens of a generate-content request",
                Takes::Json("CountContentRequest"),
                Json("CountContentReply"),
                Generate,
            ),
            post(
                concat!($prefix, "/models/{model}:embedContent"),
                "Make the vector of one content",
                Takes::Json("EmbedContentRequest"),
                Json("EmbedContentReply"),
                Generate,
            ),
            post(
                concat!($prefix, "/models/{model}:batchEmbedContents"),
                "Make the vectors of several contents",
                Takes::Json("BatchEmbedContentsRequest"),
                Json("BatchEmbedContentsReply"),
                Generate,
            ),
            get(
                concat!($prefix, "/models"),
                "List the models that the token may use",
                Json("ModelList"),
                if $prefix.len() > 3 { Generate } else { Chat },
            ),
            get(
                concat!($prefix, "/models/{model}"),
                "Read one model",
                Json("ListedModel"),
                if $prefix.len() > 3 { Generate } else { Chat },
            ),
        ]
    };
}

pub(super) const FIRST_VERSION: [Operation; 7] = generate_content!("/v1");
pub(super) const BETA_VERSION: [Operation; 7] = generate_content!("/v1beta");

/// The rest.
pub(super) const OPERATIONS: &[Operation] = &[
    post(
        "/v1/chat/completions",
        "Generate with the chat format",
        Takes::Json("ChatCompletionRequest"),
        JsonOrEvents("ChatCompletion"),
        Chat,
    ),
    post(
        "/v1/completions",
        "Complete a text",
        Takes::Json("CompletionRequest"),
        JsonOrEvents("Completion"),
        Chat,
    ),
    post(
        "/v1/messages",
        "Generate with the messages format",
        Takes::Json("MessagesRequest"),
        JsonOrEvents("Message"),
        Messages,
    ),
    post(
        "/v1/messages/count_tokens",
        "Count the tokens of a messages request",
        Takes::Json("CountMessagesRequest"),
        Json("InputTokens"),
        Messages,
    ),
    post(
        "/v1/responses",
        "Generate with the responses format",
        Takes::Json("ResponsesRequest"),
        JsonOrEvents("ResponseObject"),
        Chat,
    ),
    post(
        "/v1/responses/input_tokens",
        "Count the tokens of a responses request",
        Takes::Json("ResponsesRequest"),
        Json("InputTokens"),
        Chat,
    ),
    get(
        "/v1/responses/{id}",
        "Read a stored answer",
        Json("ResponseObject"),
        Chat,
    ),
    Operation {
        method: "delete",
        path: "/v1/responses/{id}",
        about: "Delete a stored answer",
        takes: Nothing,
        gives: Json("DeletedResponse"),
        errors: Chat,
    },
    get(
        "/v1/responses/{id}/input_items",
        "List the input of a stored answer",
        Json("InputItems"),
        Chat,
    ),
    post(
        "/v1/responses/{id}/cancel",
        "Cancel an answer that is made in the background",
        Nothing,
        Json("ResponseObject"),
        Chat,
    ),
    post(
        "/v1/embeddings",
        "Make vectors",
        Takes::Json("EmbeddingsRequest"),
        Json("Embeddings"),
        Chat,
    ),
    post(
        "/v1/rerank",
        "Rank documents",
        Takes::Json("RerankRequest"),
        Json("Rerank"),
        Chat,
    ),
    post(
        "/v2/rerank",
        "Rank documents (second version of the format)",
        Takes::Json("RerankRequest"),
        Json("Rerank"),
        Chat,
    ),
    post(
        "/rerank",
        "Rank documents (path without a version)",
        Takes::Json("RerankRequest"),
        Json("Rerank"),
        Chat,
    ),
    post(
        "/v1/moderations",
        "Judge texts and images",
        Takes::Json("ModerationRequest"),
        Json("Moderation"),
        Chat,
    ),
    post(
        "/v1/images/generations",
        "Draw images",
        Takes::Json("ImageRequest"),
        JsonOrEvents("Images"),
        Chat,
    ),
    post(
        "/v1/images/edits",
        "Change images",
        FormOrJson("ImageEditForm", "ImageEditRequest"),
        JsonOrEvents("Images"),
        Chat,
    ),
    post(
        "/v1/images/variations",
        "Vary an image",
        Form("ImageVariationForm"),
        Json("Images"),
        Chat,
    ),
    post(
        "/v1/audio/transcriptions",
        "Write down what is said",
        Form("TranscriptionForm"),
        TextOrEvents("Transcription"),
        Chat,
    ),
    post(
        "/v1/audio/translations",
        "Write down what is said, in English",
        Form("TranscriptionForm"),
        TextOrEvents("Transcription"),
        Chat,
    ),
    post(
        "/v1/audio/speech",
        "Speak a text",
        Takes::Json("SpeechRequest"),
        Sound,
        Chat,
    ),
    get(
        "/v1/dashboard/billing/subscription",
        "Read what the token spent and may still spend",
        Json("BillingSubscription"),
        Chat,
    ),
    get(
        "/v1/dashboard/billing/usage",
        "Read what the token spent",
        Json("BillingUsage"),
        Chat,
    ),
    get(
        "/dashboard/billing/subscription",
        "Read what the token spent and may still spend (path without a version)",
        Json("BillingSubscription"),
        Chat,
    ),
    get(
        "/dashboard/billing/usage",
        "Read what the token spent (path without a version)",
        Json("BillingUsage"),
        Chat,
    ),
    get(
        "/v1/realtime",
        "Talk to a model over a WebSocket",
        Upgrade,
        Chat,
    ),
];
