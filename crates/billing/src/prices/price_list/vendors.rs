//! Which name of a price list is which model. The same model is listed under many names, by vendor
//! and by reseller; the shipped catalogue follows the same rules (`scripts/update-prices`).

/// Whose prices win a name, in this order, and what is cut off their names.
const VENDORS: [(&str, &str); 28] = [
    ("openai", ""),
    ("text-completion-openai", ""),
    ("anthropic", ""),
    ("gemini", "gemini/"),
    ("vertex_ai-language-models", ""),
    ("vertex_ai-embedding-models", ""),
    ("mistral", "mistral/"),
    ("codestral", "codestral/"),
    ("deepseek", "deepseek/"),
    ("xai", "xai/"),
    ("cohere", "cohere/"),
    ("cohere_chat", ""),
    ("voyage", "voyage/"),
    ("jina_ai", "jina_ai/"),
    ("perplexity", "perplexity/"),
    ("moonshot", "moonshot/"),
    ("zai", "zai/"),
    ("dashscope", "dashscope/"),
    ("minimax", "minimax/"),
    ("ai21", ""),
    ("groq", "groq/"),
    ("cerebras", "cerebras/"),
    ("sambanova", "sambanova/"),
    ("bedrock", ""),
    ("bedrock_converse", ""),
    ("fireworks_ai", "fireworks_ai/"),
    ("together_ai", "together_ai/"),
    ("deepinfra", "deepinfra/"),
];

/// What a listed name stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Listed<'a> {
    /// A model.
    Model(&'a str),
    /// One size, and maybe one quality, of a model's images.
    Image {
        model: &'a str,
        size: String,
        quality: Option<&'a str>,
    },
    /// A region or a number of steps, which no client asks for by name.
    Variant,
}

/// The rank of a vendor, lower ones win, and the name without what is cut off. A list without vendors
/// is somebody's own and comes first; vendors that are not known keep their names and come last.
pub(super) fn ranked<'a>(name: &'a str, vendor: Option<&str>) -> (usize, &'a str) {
    let Some(vendor) = vendor else {
        return (0, name);
    };
    match VENDORS.iter().position(|(id, _)| *id == vendor) {
        Some(place) => (
            place + 1,
            name.strip_prefix(VENDORS[place].1).unwrap_or(name),
        ),
        None => (VENDORS.len() + 1, name),
    }
}

/// What a name, cut by [`ranked`], stands for.
pub(super) fn listed(name: &str) -> Listed<'_> {
    let Some((first, rest)) = name.split_once('/') else {
        return Listed::Model(name);
    };
    let is_steps = first.strip_suffix("-steps").is_some_and(is_number);
    if is_steps || first == "bedrock" || first == "max-x-max" {
        return Listed::Variant;
    }
    if let Some(size) = size(first) {
        let quality = None;
        return Listed::Image {
            model: rest,
            size,
            quality,
        };
    }
    let is_word = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_lowercase());
    match rest.split_once('/') {
        Some((second, model)) if is_word => match size(second) {
            Some(size) => Listed::Image {
                model,
                size,
                quality: Some(first),
            },
            None => Listed::Model(name),
        },
        _ => Listed::Model(name),
    }
}

/// `1024-x-1536` as images are asked for.
fn size(text: &str) -> Option<String> {
    let (width, height) = text.split_once("-x-")?;
    (is_number(width) && is_number(height)).then(|| format!("{width}x{height}"))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_what_only_the_list_adds_to_them() {
        assert_eq!(
            ranked("gemini/gemini-2.5-pro", Some("gemini")).1,
            "gemini-2.5-pro"
        );
        assert_eq!(ranked("azure/gpt-4o", Some("azure")).1, "azure/gpt-4o");
        assert_eq!(ranked("house-model", None), (0, "house-model"));
        let rank = |vendor: &str| ranked("gpt-4o", Some(vendor)).0;
        assert!(rank("openai") < rank("deepinfra") && rank("deepinfra") < rank("azure"));
    }

    #[test]
    fn images_and_variants_are_told_from_models() {
        let image = |size: &str, quality| Listed::Image {
            model: "dall-e-3",
            size: size.to_owned(),
            quality,
        };
        assert_eq!(
            listed("hd/1024-x-1792/dall-e-3"),
            image("1024x1792", Some("hd"))
        );
        assert_eq!(listed("1024-x-1024/dall-e-3"), image("1024x1024", None));
        for name in ["gpt-4o", "meta/llama", "a/b/c", "x-x-y/z"] {
            assert_eq!(listed(name), Listed::Model(name));
        }
        for name in ["bedrock/eu/x", "50-steps/x", "max-x-max/x"] {
            assert_eq!(listed(name), Listed::Variant);
        }
    }
}
