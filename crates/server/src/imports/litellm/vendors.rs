//! Which provider here a deployment's model belongs to: what stands before its first slash says it,
//! or the beginning of a well-known name.

const PREFIXES: [(&str, &str); 47] = [
    ("ai21", "ai21"),
    ("anthropic", "anthropic"),
    ("azure", "azure"),
    ("bedrock", "bedrock"),
    ("cerebras", "cerebras"),
    ("cohere", "cohere"),
    ("cohere_chat", "cohere"),
    ("custom_openai", "openai"),
    ("dashscope", "dashscope"),
    ("deepinfra", "deepinfra"),
    ("deepseek", "deepseek"),
    ("featherless_ai", "featherless"),
    ("fireworks_ai", "fireworks"),
    ("friendliai", "friendli"),
    ("gemini", "google"),
    ("github", "github-models"),
    ("groq", "groq"),
    ("hosted_vllm", "vllm"),
    ("huggingface", "huggingface"),
    ("hyperbolic", "hyperbolic"),
    ("jina_ai", "jina"),
    ("litellm_proxy", "openai"),
    ("llamafile", "llamacpp"),
    ("lm_studio", "lmstudio"),
    ("minimax", "minimax"),
    ("mistral", "mistral"),
    ("moonshot", "moonshot"),
    ("nebius", "nebius"),
    ("novita", "novita"),
    ("nvidia_nim", "nvidia"),
    ("ollama", "ollama"),
    ("ollama_chat", "ollama"),
    ("openai", "openai"),
    ("openai_like", "openai"),
    ("openrouter", "openrouter"),
    ("perplexity", "perplexity"),
    ("sambanova", "sambanova"),
    ("siliconflow", "siliconflow"),
    ("text-completion-openai", "openai"),
    ("together_ai", "together"),
    ("vertex_ai", "vertex"),
    ("vllm", "vllm"),
    ("volcengine", "volcengine"),
    ("voyage", "voyage"),
    ("xai", "xai"),
    ("xinference", "xinference"),
    ("zai", "zhipu"),
];

const NAMES: [(&str, &str); 12] = [
    ("chatgpt-", "openai"),
    ("claude-", "anthropic"),
    ("command-", "cohere"),
    ("dall-e-", "openai"),
    ("gpt-", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("omni-moderation", "openai"),
    ("text-embedding-", "openai"),
    ("tts-", "openai"),
    ("whisper-", "openai"),
];

/// The provider and the upstream's name of a model; none where nothing here is meant.
pub(super) fn provider_of<'a>(
    model: &'a str,
    custom: Option<&str>,
) -> Option<(&'static str, &'a str)> {
    let by_prefix = |prefix: &str| {
        let found = PREFIXES.iter().find(|(own, _)| *own == prefix);
        found.map(|(_, provider)| *provider)
    };
    if let Some(custom) = custom {
        let name = model
            .strip_prefix(custom)
            .and_then(|rest| rest.strip_prefix('/'));
        return Some((by_prefix(custom)?, name.unwrap_or(model)));
    }
    if let Some((prefix, name)) = model.split_once('/')
        && let Some(provider) = by_prefix(prefix)
    {
        return Some((provider, name));
    }
    let found = NAMES.iter().find(|(start, _)| model.starts_with(start));
    found.map(|(_, provider)| (*provider, model))
}
