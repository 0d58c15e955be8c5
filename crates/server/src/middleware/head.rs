//! The head of a request, and what follows from it alone. Requests on one connection mostly have the same head: it is
//! read and looked at once, and they share it.

use std::sync::{Arc, LazyLock};

use http::Request;
use http::header;
use http::request::Parts;

use super::familiar_paths;
use crate::area::Area;
use crate::model_call::Endpoint;
use crate::refusal::Refusal;
use crate::tokens::LastHolder;

/// The head of a request.
#[derive(Debug)]
pub struct Head {
    /// Method, address and headers. The length of the body may not be among them, since it is not the same for all.
    pub parts: Parts,
    /// The part of the service that its path belongs to.
    pub area: Area,
    /// The endpoint at its path, where that is one of the fixed ones.
    pub endpoint: Option<&'static Endpoint>,
    /// Whether the body may have a `Content-Encoding`.
    pub is_encoded: bool,
    /// Whose token it holds.
    pub holder: LastHolder,
}

/// One that says nothing.
static BLANK: LazyLock<Arc<Head>> = LazyLock::new(|| {
    let (parts, ()) = Request::new(()).into_parts();
    Arc::new(Head::new(parts))
});

impl Head {
    /// The head that was read.
    pub fn new(mut parts: Parts) -> Self {
        familiar_paths::settle(&mut parts);
        let path = parts.uri.path();
        let (area, endpoint) = (Area::of(path), Endpoint::at(path));
        Self {
            is_encoded: parts.headers.contains_key(header::CONTENT_ENCODING),
            parts,
            area,
            endpoint,
            holder: LastHolder::default(),
        }
    }

    /// A head that must be answered with a refusal, whatever its path is.
    pub fn rejected(mut parts: Parts, refusal: Refusal) -> Self {
        parts.extensions.insert(refusal);
        Self {
            endpoint: None,
            ..Self::new(parts)
        }
    }

    /// A head that says nothing, for what outlives its own.
    pub fn blank() -> Arc<Self> {
        Arc::clone(&BLANK)
    }
}
