//! Vendors and servers that do as OpenAI does, one line each: id, name, base URL (with its version),
//! and what they offer beside chat. To add one, add a line; the list is kept in the order of ids.

use std::borrow::Cow;

use dialects::DialectId;

use super::openai::{CHAT, COMMON, sign_bearer, standard_path};
use crate::body_fields::BodyFields;
use crate::credential::{API_KEY, CredentialField};
use crate::{
    BaseUrl, Call, Credential, Format, NoObject, Operation, Provider, RequestBody, SignError,
    Stamp, Unroutable, UpstreamRequest,
};

/// A vendor in the table.
pub(super) struct Compatible {
    id: &'static str,
    label: &'static str,
    base_url: &'static str,
    traits: u16,
}

/// What a vendor offers beside chat, and how it differs.
mod traits {
    /// Lists its models.
    pub(super) const MODELS: u16 = 1;
    /// Legacy completions.
    pub(super) const COMPLETIONS: u16 = 1 << 1;
    pub(super) const EMBED: u16 = 1 << 2;
    pub(super) const RERANK: u16 = 1 << 3;
    pub(super) const IMAGES: u16 = 1 << 4;
    pub(super) const SPEAK: u16 = 1 << 5;
    pub(super) const TRANSCRIBE: u16 = 1 << 6;
    pub(super) const TRANSLATE: u16 = 1 << 7;
    pub(super) const MODERATE: u16 = 1 << 8;
    pub(super) const RESPONSES: u16 = 1 << 9;
    /// Knows the limit of tokens by its older name only.
    pub(super) const MAX_TOKENS: u16 = 1 << 10;
    /// A program to run oneself; its key is optional.
    pub(super) const SELF_HOSTED: u16 = 1 << 11;
    /// Embeddings and rerank only, rerank in the shape of text embeddings inference.
    pub(super) const EMBEDDINGS_SERVER: u16 = 1 << 12;
    /// Rerank in a shape of its own, beside the paths that are like everybody's.
    pub(super) const DASHSCOPE: u16 = 1 << 13;
}
use traits::{
    COMPLETIONS, DASHSCOPE, EMBED, EMBEDDINGS_SERVER, IMAGES, MAX_TOKENS, MODELS, MODERATE, RERANK,
    RESPONSES, SELF_HOSTED, SPEAK, TRANSCRIBE, TRANSLATE,
};

const fn vendor(
    id: &'static str,
    label: &'static str,
    base_url: &'static str,
    traits: u16,
) -> Compatible {
    Compatible {
        id,
        label,
        base_url,
        traits,
    }
}

#[rustfmt::skip]
pub(super) static COMPATIBLE: [Compatible; 42] = [
    vendor("ai21", "AI21", "https://api.ai21.com/studio/v1", 0),
    vendor("baichuan", "Baichuan", "https://api.baichuan-ai.com/v1", EMBED),
    vendor("cerebras", "Cerebras", "https://api.cerebras.ai/v1", MODELS | COMPLETIONS),
    vendor("chutes", "Chutes", "https://llm.chutes.ai/v1", MODELS | COMPLETIONS),
    vendor("dashscope", "Alibaba Cloud Model Studio", "https://dashscope.aliyuncs.com/compatible-mode/v1", EMBED | RERANK | DASHSCOPE),
    vendor("dashscope-intl", "Alibaba Cloud Model Studio (international)", "https://dashscope-intl.aliyuncs.com/compatible-mode/v1", EMBED | RERANK | DASHSCOPE),
    vendor("deepinfra", "DeepInfra", "https://api.deepinfra.com/v1/openai", MODELS | COMPLETIONS | EMBED),
    vendor("deepseek", "DeepSeek", "https://api.deepseek.com/v1", MODELS | MAX_TOKENS),
    vendor("featherless", "Featherless", "https://api.featherless.ai/v1", MODELS | COMPLETIONS),
    vendor("fireworks", "Fireworks AI", "https://api.fireworks.ai/inference/v1", MODELS | COMPLETIONS | EMBED),
    vendor("friendli", "Friendli", "https://api.friendli.ai/serverless/v1", COMPLETIONS),
    vendor("github-models", "GitHub Models", "https://models.github.ai/inference", EMBED),
    vendor("groq", "Groq", "https://api.groq.com/openai/v1", MODELS | TRANSCRIBE | TRANSLATE | SPEAK),
    vendor("huggingface", "Hugging Face", "https://router.huggingface.co/v1", MODELS),
    vendor("hunyuan", "Tencent Hunyuan", "https://api.hunyuan.cloud.tencent.com/v1", EMBED),
    vendor("hyperbolic", "Hyperbolic", "https://api.hyperbolic.xyz/v1", MODELS | COMPLETIONS),
    vendor("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1", MODELS | COMPLETIONS | EMBED | RERANK | SELF_HOSTED),
    vendor("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1", MODELS | COMPLETIONS | EMBED | SELF_HOSTED),
    vendor("localai", "LocalAI", "http://127.0.0.1:8080/v1", MODELS | COMPLETIONS | EMBED | RERANK | IMAGES | SPEAK | TRANSCRIBE | SELF_HOSTED),
    vendor("minimax", "MiniMax", "https://api.minimax.io/v1", 0),
    vendor("mistral", "Mistral AI", "https://api.mistral.ai/v1", MODELS | EMBED | MODERATE | TRANSCRIBE | MAX_TOKENS),
    vendor("modelscope", "ModelScope", "https://api-inference.modelscope.cn/v1", MODELS),
    vendor("moonshot", "Moonshot AI", "https://api.moonshot.ai/v1", MODELS),
    vendor("moonshot-cn", "Moonshot AI (China)", "https://api.moonshot.cn/v1", MODELS),
    vendor("nebius", "Nebius", "https://api.studio.nebius.com/v1", MODELS | COMPLETIONS | EMBED | IMAGES),
    vendor("novita", "Novita AI", "https://api.novita.ai/v3/openai", MODELS | COMPLETIONS),
    vendor("nvidia", "NVIDIA", "https://integrate.api.nvidia.com/v1", MODELS | COMPLETIONS | EMBED),
    vendor("openrouter", "OpenRouter", "https://openrouter.ai/api/v1", MODELS | COMPLETIONS | EMBED),
    vendor("perplexity", "Perplexity", "https://api.perplexity.ai", MAX_TOKENS),
    vendor("qianfan", "Baidu Qianfan", "https://qianfan.baidubce.com/v2", MODELS | EMBED | RERANK),
    vendor("sambanova", "SambaNova", "https://api.sambanova.ai/v1", MODELS | EMBED),
    vendor("scaleway", "Scaleway", "https://api.scaleway.ai/v1", MODELS | EMBED),
    vendor("sglang", "SGLang", "http://127.0.0.1:30000/v1", MODELS | COMPLETIONS | EMBED | RERANK | SELF_HOSTED),
    vendor("siliconflow", "SiliconFlow", "https://api.siliconflow.cn/v1", MODELS | EMBED | RERANK | IMAGES | SPEAK | TRANSCRIBE),
    vendor("tei", "Text Embeddings Inference", "http://127.0.0.1:8080", EMBED | RERANK | EMBEDDINGS_SERVER | SELF_HOSTED),
    vendor("together", "Together AI", "https://api.together.xyz/v1", MODELS | COMPLETIONS | EMBED | RERANK | IMAGES | SPEAK | TRANSCRIBE),
    vendor("upstage", "Upstage", "https://api.upstage.ai/v1", EMBED),
    vendor("vllm", "vLLM", "http://127.0.0.1:8000/v1", MODELS | COMPLETIONS | EMBED | RERANK | TRANSCRIBE | RESPONSES | SELF_HOSTED),
    vendor("volcengine", "Volcengine Ark", "https://ark.cn-beijing.volces.com/api/v3", EMBED | IMAGES),
    vendor("xai", "xAI", "https://api.x.ai/v1", MODELS | IMAGES | RESPONSES),
    vendor("xinference", "Xinference", "http://127.0.0.1:9997/v1", MODELS | COMPLETIONS | EMBED | RERANK | IMAGES | SPEAK | TRANSCRIBE | SELF_HOSTED),
    vendor("zhipu", "Zhipu AI", "https://open.bigmodel.cn/api/paas/v4", EMBED | IMAGES),
];

/// Where `DashScope` has the paths that are like everybody's.
const DASHSCOPE_COMPATIBLE: &str = "/compatible-mode/v1";

const CHAT_AND_COMPLETIONS: &[Format] = &[
    Format::Text(DialectId::ChatCompletions),
    Format::Text(DialectId::TextCompletions),
];
const CHAT_AND_RESPONSES: &[Format] = &[
    Format::Text(DialectId::ChatCompletions),
    Format::Text(DialectId::Responses),
];

impl Compatible {
    fn has(&self, wanted: u16) -> bool {
        self.traits & wanted != 0
    }

    fn text_formats(&self) -> &'static [Format] {
        match (self.has(COMPLETIONS), self.has(RESPONSES)) {
            _ if self.has(EMBEDDINGS_SERVER) => &[],
            (true, true) => super::openai::ALL_TEXT,
            (true, false) => CHAT_AND_COMPLETIONS,
            (false, true) => CHAT_AND_RESPONSES,
            (false, false) => CHAT,
        }
    }
}

impl Provider for Compatible {
    fn id(&self) -> &'static str {
        self.id
    }

    fn label(&self) -> &'static str {
        self.label
    }

    fn default_base_url(&self) -> &'static str {
        self.base_url
    }

    fn formats(&self, operation: Operation, _model: &str) -> &'static [Format] {
        let wanted = match operation {
            Operation::Generate => return self.text_formats(),
            Operation::Rerank if self.has(EMBEDDINGS_SERVER) => {
                return &[Format::TextEmbeddingsInference];
            }
            Operation::Embed => EMBED,
            Operation::Rerank => RERANK,
            Operation::GenerateImage => IMAGES,
            Operation::Speak => SPEAK,
            Operation::Transcribe => TRANSCRIBE,
            Operation::Translate => TRANSLATE,
            Operation::Moderate => MODERATE,
            Operation::ListModels => MODELS,
            Operation::CountTokens
            | Operation::EditImage
            | Operation::VaryImage
            | Operation::Realtime
            | Operation::TranscribeLive => return &[],
        };
        if self.has(wanted) { COMMON } else { &[] }
    }

    fn path(
        &self,
        call: &Call<'_>,
        _base: &BaseUrl,
        _credential: &Credential,
    ) -> Result<Cow<'static, str>, Unroutable> {
        match call.format {
            Format::TextEmbeddingsInference => Ok("/rerank".into()),
            _ if self.has(EMBEDDINGS_SERVER) => Ok(format!("/v1{}", standard_path(call)?).into()),
            _ if self.has(DASHSCOPE) && call.operation == Operation::Rerank => {
                Ok("/api/v1/services/rerank/text-rerank/text-rerank".into())
            }
            _ if self.has(DASHSCOPE) => {
                Ok(format!("{DASHSCOPE_COMPATIBLE}{}", standard_path(call)?).into())
            }
            _ => standard_path(call),
        }
    }

    fn sign(&self, request: &mut UpstreamRequest, stamp: &Stamp<'_>) -> Result<(), SignError> {
        sign_bearer(request, stamp)
    }

    fn credential_fields(&self) -> &'static [CredentialField] {
        if self.has(SELF_HOSTED) {
            const { &[CredentialField::optional(API_KEY, "API key")] }
        } else {
            const { &[CredentialField::required(API_KEY, "API key")] }
        }
    }

    fn tidy_base_url(&self, base: BaseUrl) -> BaseUrl {
        if self.has(DASHSCOPE) {
            base.without_suffix(&[DASHSCOPE_COMPATIBLE])
        } else {
            base
        }
    }

    fn adjust(&self, call: &Call<'_>, request: &mut UpstreamRequest) -> Result<(), NoObject> {
        if self.has(MAX_TOKENS) {
            rename_token_limit(call, request)
        } else {
            Ok(())
        }
    }
}

/// Gives the limit of tokens of a chat the name that older servers know.
pub(super) fn rename_token_limit(
    call: &Call<'_>,
    request: &mut UpstreamRequest,
) -> Result<(), NoObject> {
    const NEWER: &str = "max_completion_tokens";
    let Some(body) = request.body.whole().cloned() else {
        return Ok(());
    };
    let is_named = memchr::memmem::find(&body, NEWER.as_bytes()).is_some();
    if call.format != Format::Text(DialectId::ChatCompletions) || !is_named {
        return Ok(());
    }
    let mut fields = BodyFields::read(&body)?;
    fields.rename(NEWER, "max_tokens");
    request.body = RequestBody::Whole(fields.write());
    Ok(())
}
