//! Which part of the service a path belongs to, and with it the shape of its errors. Decided from
//! the path alone, so that a path that does not exist is refused in the right shape too.

use dialects::DialectId;

/// A part of the service.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// The model-call interface; its errors are written in this dialect.
    ModelCall(DialectId),
    /// The management interface under `/api`.
    Management,
    /// The console's pages and assets.
    Console,
    /// `/healthz`, `/readyz` and `/metrics`.
    Probe,
}

impl Area {
    /// The area of a path.
    pub fn of(path: &str) -> Self {
        match first_segment(path) {
            "v1" if is_inside(path, "/v1/messages") => Self::ModelCall(DialectId::Messages),
            "v1" if is_generate_content(path) => Self::ModelCall(DialectId::GenerateContent),
            "v1" | "v2" | "rerank" => Self::ModelCall(DialectId::ChatCompletions),
            "dashboard" if is_inside(path, "/dashboard/billing") => {
                Self::ModelCall(DialectId::ChatCompletions)
            }
            "v1beta" => Self::ModelCall(DialectId::GenerateContent),
            "api" => Self::Management,
            "healthz" | "readyz" | "metrics" => Self::Probe,
            _ => Self::Console,
        }
    }

    /// Its name in logs and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::ModelCall(_) => "model_call",
            Self::Management => "management",
            Self::Console => "console",
            Self::Probe => "probe",
        }
    }
}

/// The newest SDKs call `/v1/models/{model}:generateContent`; model lists have no such suffix.
fn is_generate_content(path: &str) -> bool {
    let method = path
        .strip_prefix("/v1/models/")
        .and_then(|rest| rest.rsplit_once(':'));
    method.is_some_and(|(_, method)| {
        [
            "generateContent",
            "streamGenerateContent",
            "countTokens",
            "embedContent",
            "batchEmbedContents",
        ]
        .contains(&method)
    })
}

fn first_segment(path: &str) -> &str {
    let path = path.trim_start_matches('/');
    let end = path.bytes().position(|byte| byte == b'/');
    end.map_or(path, |end| &path[..end])
}

/// Whether a path is a folder's own or lies below it.
pub fn is_inside(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_has_its_area_and_shape() {
        for (path, area) in [
            (
                "/v1/chat/completions",
                Area::ModelCall(DialectId::ChatCompletions),
            ),
            ("/v1", Area::ModelCall(DialectId::ChatCompletions)),
            ("/v1/messages", Area::ModelCall(DialectId::Messages)),
            (
                "/v1/messages/count_tokens",
                Area::ModelCall(DialectId::Messages),
            ),
            (
                "/v1/messagesque",
                Area::ModelCall(DialectId::ChatCompletions),
            ),
            (
                "/v1beta/models",
                Area::ModelCall(DialectId::GenerateContent),
            ),
            (
                "/v1/models/gemini:generateContent",
                Area::ModelCall(DialectId::GenerateContent),
            ),
            (
                "/v1/models/llama:8b",
                Area::ModelCall(DialectId::ChatCompletions),
            ),
            ("/v2/rerank", Area::ModelCall(DialectId::ChatCompletions)),
            ("/rerank", Area::ModelCall(DialectId::ChatCompletions)),
            ("/api", Area::Management),
            ("/api/user/self", Area::Management),
            ("//api/user/self", Area::Management),
            ("/apiary", Area::Console),
            ("/", Area::Console),
            ("/metrics", Area::Probe),
        ] {
            assert_eq!(Area::of(path), area, "{path}");
        }
    }
}
