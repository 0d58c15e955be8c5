//! Whether the master keys are those that the records were written with. Other keys do not fail by themselves: the
//! service would run, and know no token and read no credential. So the records hold a mark of the oldest key, which all
//! keyed hashes hang on.

use store::{Store, StoreError, channel_keys, settings};

use crate::clock::Clock;
use crate::secrets::{CannotOpen, KeyRing, hash_token, open};
use crate::settings::Settings;

const PURPOSE: &str = "key mark";
/// How often somebody else may save the settings while a mark is put into them.
const TRIES: usize = 10;

/// Why the records are not to be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyMarkError {
    /// They were written with other keys.
    #[error("these are not the master keys that the records were written with")]
    OtherKeys,
    /// They could not be read or written.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Refuses other keys than those of the records; changes nothing.
pub async fn check_keys(store: &Store, keys: &KeyRing) -> Result<(), KeyMarkError> {
    let (_, settings) = Settings::stored(store.read()).await?;
    match settings.key_mark {
        Some(noted) if noted != mark(keys) => Err(KeyMarkError::OtherKeys),
        _ => Ok(()),
    }
}

/// The same, and notes the keys in records that have no mark yet, unless all credentials in them say otherwise. Of
/// nodes that start at once with different keys, one is first.
pub async fn note_keys(
    store: &Store,
    keys: &KeyRing,
    clock: &dyn Clock,
) -> Result<(), KeyMarkError> {
    for _ in 0..TRIES {
        let (version, settings) = Settings::stored(store.read()).await?;
        if settings.key_mark.is_some() {
            break;
        }
        refuse_foreign(store, keys).await?;
        match put(store, version, settings, keys, clock).await {
            Err(StoreError::Stale(_)) => {}
            put => return Ok(put?),
        }
    }
    check_keys(store, keys).await
}

/// Notes the keys, whatever the records were written with.
pub async fn adopt_keys(store: &Store, keys: &KeyRing, clock: &dyn Clock) -> store::Result<()> {
    let (version, settings) = Settings::stored(store.read()).await?;
    put(store, version, settings, keys, clock).await
}

/// Refuses keys that opened none of the stored credentials.
async fn refuse_foreign(store: &Store, keys: &KeyRing) -> Result<(), KeyMarkError> {
    let stored = channel_keys::all(store.read()).await?;
    let is_foreign = |sealed: &[u8]| matches!(open(keys, "", sealed), Err(CannotOpen::UnknownKey));
    let all_are_foreign = stored.iter().all(|key| is_foreign(&key.secret_encrypted));
    if stored.is_empty() || !all_are_foreign {
        return Ok(());
    }
    Err(KeyMarkError::OtherKeys)
}

async fn put(
    store: &Store,
    version: i64,
    mut settings: Settings,
    keys: &KeyRing,
    clock: &dyn Clock,
) -> store::Result<()> {
    settings.key_mark = Some(mark(keys));
    let transaction = store.write().await?;
    settings::save(&transaction, version, &settings, None, clock.now_ms()).await?;
    transaction.commit().await
}

fn mark(keys: &KeyRing) -> String {
    hex::encode(hash_token(keys, PURPOSE, ""))
}

#[cfg(test)]
mod tests {
    use store::channel_keys::NewChannelKey;
    use store::channels::{self, ChannelChanges, NewChannel};
    use store::{Location, OpenOptions};

    use super::*;
    use crate::clock::SystemClock;
    use crate::randomness::SystemRandomness;
    use crate::secrets::seal;

    async fn records(folder: &tempfile::TempDir) -> Store {
        let location = Location::Sqlite(folder.path().join("records.db"));
        let opened = Store::open(&location, &OpenOptions::default()).await;
        opened.unwrap()
    }

    fn keys() -> KeyRing {
        KeyRing::generate(&SystemRandomness)
    }

    #[tokio::test]
    async fn whoever_is_first_is_noted_and_others_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (store, one, other) = (records(&folder).await, keys(), keys());
        let (first, second) = tokio::join!(
            note_keys(&store, &one, &SystemClock),
            note_keys(&store, &other, &SystemClock)
        );
        assert!(first.is_ok() != second.is_ok(), "{first:?} {second:?}");
        let (right, wrong) = if first.is_ok() {
            (one, other)
        } else {
            (other, one)
        };
        check_keys(&store, &right).await.unwrap();
        let rotated = right.with_new_key(&SystemRandomness);
        check_keys(&store, &rotated).await.unwrap();
        let refused = check_keys(&store, &wrong).await;
        assert!(matches!(refused, Err(KeyMarkError::OtherKeys)));
        adopt_keys(&store, &wrong, &SystemClock).await.unwrap();
        check_keys(&store, &wrong).await.unwrap();
    }

    #[tokio::test]
    async fn records_without_a_mark_are_not_taken_over_by_keys_that_open_nothing_in_them() {
        let folder = tempfile::tempdir().unwrap();
        let (store, right, wrong) = (records(&folder).await, keys(), keys());
        let new = NewChannel {
            name: "vendor".to_owned(),
            provider: "openai".to_owned(),
            base_url: String::new(),
            is_declared: false,
        };
        let key = NewChannelKey {
            secret_encrypted: seal(&right, &SystemRandomness, "a record", b"sk-vendor"),
            ..NewChannelKey::default()
        };
        let transaction = store.write().await.unwrap();
        let channel = channels::insert(&transaction, new, ChannelChanges::default(), 1);
        let channel = channel.await.unwrap();
        channel_keys::replace(&transaction, channel.id, vec![key], 1)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        let refused = note_keys(&store, &wrong, &SystemClock).await;
        assert!(matches!(refused, Err(KeyMarkError::OtherKeys)));
        note_keys(&store, &right, &SystemClock).await.unwrap();
    }
}
