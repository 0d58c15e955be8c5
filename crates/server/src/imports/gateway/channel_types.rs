//! The numbers that the two gateways give to types of channels, and which provider each is here.
//! The numbers agree up to 25, with two exceptions, and part after that.

use super::Flavour;

/// How a type's address is written in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Address {
    /// Without the version that belongs to it here: `/v1` is added.
    V1,
    /// As it is here.
    AsItIs,
    /// It means nothing here: the provider's own is used.
    Own,
}

/// A type of channel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Type {
    /// The provider's id here.
    pub(super) provider: &'static str,
    /// How its address is written.
    pub(super) address: Address,
    /// The address where the source has none; empty: the provider's own here.
    pub(super) default_url: &'static str,
}

const fn at_home(provider: &'static str) -> Type {
    Type {
        provider,
        address: Address::V1,
        default_url: "",
    }
}

const fn plain(provider: &'static str) -> Type {
    Type {
        provider,
        address: Address::AsItIs,
        default_url: "",
    }
}

const fn own(provider: &'static str) -> Type {
    Type {
        provider,
        address: Address::Own,
        default_url: "",
    }
}

const fn reseller(default_url: &'static str) -> Type {
    Type {
        provider: "openai",
        address: Address::V1,
        default_url,
    }
}

/// What a type is here; none where nothing here speaks to it.
pub(super) fn type_of(flavour: Flavour, number: i64) -> Option<Type> {
    Some(match (flavour, number) {
        (Flavour::OneApi, 2) => reseller("https://oa.api2d.net"),
        (Flavour::OneApi, 4) => reseller("https://api.closeai-proxy.xyz"),
        (Flavour::OneApi, 5) => reseller("https://api.openai-sb.com"),
        (Flavour::NewApi, 4) => plain("ollama"),
        (_, 1 | 8) => at_home("openai"),
        (_, 3) => plain("azure"),
        (_, 6) => reseller("https://api.openaimax.com"),
        (_, 7) => reseller("https://api.ohmygpt.com"),
        (_, 9) => reseller("https://api.caipacity.com"),
        (_, 10) => reseller("https://api.aiproxy.io"),
        (_, 12) => reseller("https://api.api2gpt.com"),
        (_, 13) => reseller("https://api.aigc2d.com"),
        (_, 14) => plain("anthropic"),
        (_, 16) => own("zhipu"),
        (_, 17) => own("dashscope"),
        (_, 20) => at_home("openrouter"),
        (_, 24) => plain("google"),
        (_, 25) => at_home("moonshot-cn"),
        (Flavour::OneApi, number) => return one_api(number),
        (Flavour::NewApi, number) => return new_api(number),
    })
}

fn one_api(number: i64) -> Option<Type> {
    Some(match number {
        26 => at_home("baichuan"),
        27 => own("minimax"),
        28 => at_home("mistral"),
        29 => at_home("groq"),
        30 => plain("ollama"),
        31 => reseller("https://api.lingyiwanwu.com"),
        32 => reseller("https://api.stepfun.com"),
        33 => own("bedrock"),
        35 => own("cohere"),
        36 => at_home("deepseek"),
        39 => at_home("together"),
        40 => own("volcengine"),
        41 => own("novita"),
        42 => own("vertex"),
        44 => at_home("siliconflow"),
        45 => at_home("xai"),
        47 => own("qianfan"),
        49 => own("dashscope"),
        50 => at_home("openai"),
        _ => return None,
    })
}

fn new_api(number: i64) -> Option<Type> {
    Some(match number {
        26 => own("zhipu"),
        27 => plain("perplexity"),
        31 => reseller("https://api.lingyiwanwu.com"),
        33 => own("bedrock"),
        34 => own("cohere"),
        35 => own("minimax"),
        38 => own("jina"),
        40 => at_home("siliconflow"),
        41 => own("vertex"),
        42 => at_home("mistral"),
        43 => at_home("deepseek"),
        45 => own("volcengine"),
        46 => own("qianfan"),
        47 => at_home("xinference"),
        48 => at_home("xai"),
        53 => reseller("https://llm.submodel.ai"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_is_of_a_provider_that_exists() {
        for flavour in [Flavour::OneApi, Flavour::NewApi] {
            for number in 0..200 {
                if let Some(found) = type_of(flavour, number) {
                    assert!(providers::provider(found.provider).is_some(), "{found:?}");
                }
            }
            assert!(type_of(flavour, 0).is_none());
        }
        let provider = |flavour, number| type_of(flavour, number).unwrap().provider;
        assert_eq!(provider(Flavour::OneApi, 4), "openai");
        assert_eq!(provider(Flavour::NewApi, 4), "ollama");
        assert_eq!(provider(Flavour::OneApi, 36), "deepseek");
        assert_eq!(provider(Flavour::NewApi, 43), "deepseek");
    }
}
