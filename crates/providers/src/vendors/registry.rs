//! The list of all vendors. A vendor with a file of its own has a line here; the others come from
//! the table in `compatible.rs`.

use std::sync::LazyLock;

use super::compatible::COMPATIBLE;
use super::{anthropic, azure, bedrock, cohere, google, jina, ollama, openai, vertex, voyage};
use crate::Provider;

/// Vendors with a file of their own.
const OWN_FILES: [&dyn Provider; 10] = [
    &anthropic::Anthropic,
    &azure::Azure,
    &bedrock::Bedrock,
    &cohere::Cohere,
    &google::Google,
    &jina::Jina,
    &ollama::Ollama,
    &openai::OpenAi,
    &vertex::Vertex,
    &voyage::Voyage,
];

/// All vendors, sorted by id.
pub static PROVIDERS: LazyLock<Vec<&'static dyn Provider>> = LazyLock::new(|| {
    let table = COMPATIBLE.iter().map(|vendor| vendor as &dyn Provider);
    let mut all: Vec<&dyn Provider> = OWN_FILES.into_iter().chain(table).collect();
    all.sort_by_key(|provider| provider.id());
    all
});

/// The vendor of this id.
pub fn provider(id: &str) -> Option<&'static dyn Provider> {
    let index = PROVIDERS
        .binary_search_by(|provider| provider.id().cmp(id))
        .ok()?;
    Some(PROVIDERS[index])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BaseUrl, Operation};

    #[test]
    fn the_list_is_complete_sorted_and_unique() {
        let ids: Vec<&str> = PROVIDERS.iter().map(|provider| provider.id()).collect();
        assert!(ids.is_sorted_by(|a, b| a < b), "{ids:?}");
        assert_eq!(ids.len(), OWN_FILES.len() + COMPATIBLE.len());
        // Every file beside this one that implements the trait is in the list.
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/vendors");
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            let file = if path.is_dir() {
                path.join("provider.rs")
            } else {
                path.clone()
            };
            let text = std::fs::read_to_string(file).unwrap();
            if text.contains("\nimpl Provider for ") && stem != "compatible" {
                assert!(ids.contains(&stem), "{stem} is not in the list");
            }
        }
    }

    #[test]
    fn both_lists_are_kept_in_order_by_hand() {
        let own: Vec<&str> = OWN_FILES.iter().map(|provider| provider.id()).collect();
        let table: Vec<&str> = COMPATIBLE.iter().map(Provider::id).collect();
        assert!(own.is_sorted() && table.is_sorted(), "{own:?} {table:?}");
    }

    #[test]
    fn every_vendor_can_be_found_and_says_what_it_is() {
        for vendor in PROVIDERS.iter() {
            let id = vendor.id();
            assert_eq!(provider(id).unwrap().id(), id);
            let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
            assert!(!id.is_empty() && id.bytes().all(is_plain), "{id}");
            assert!(!vendor.label().is_empty());
            assert!(!vendor.credential_fields().is_empty());
            let base = vendor.default_base_url();
            if !base.is_empty() {
                assert!(
                    BaseUrl::parse(base).is_ok() && !base.ends_with('/'),
                    "{base}"
                );
            }
            let offers = |operation| !vendor.formats(operation, "some-model").is_empty();
            assert!(
                Operation::ALL.into_iter().any(offers),
                "{id} offers nothing"
            );
        }
        assert!(provider("nobody").is_none());
    }
}
