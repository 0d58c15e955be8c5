//! Sessions, login flows, second factors, passkeys and personal access tokens.

use store::access_tokens::NewAccessToken;
use store::identities::{self, NewIdentity};
use store::login_flows::{self, LoginFlow};
use store::sessions::{self, NewSession, Session};
use store::{SessionId, Store, StoreError, UserId, access_tokens, passkeys, two_factor, users};

use crate::support::{Place, a_user};

on_both_engines!(
    a_session_is_found_by_its_hash_until_it_ends,
    a_new_auth_version_ends_all_sessions_but_the_rotated_one,
    only_the_owner_ends_a_session,
    a_flow_is_finished_once_and_only_for_its_purpose,
    a_flow_takes_a_limited_number_of_tries,
    a_set_up_is_replaced_until_it_is_switched_on,
    a_step_is_used_once_by_racing_tasks,
    parallel_guesses_cannot_outrun_the_lock,
    a_backup_code_works_once,
    passkeys_keep_their_credential,
    an_identity_belongs_to_one_user,
    access_tokens_end_and_are_removed,
    a_session_keeps_when_its_person_was_proved,
    deleting_a_user_ends_every_way_in,
);

const SECRET: &[u8] = &[0, 255, 1, 2];

async fn log_in(store: &Store, user_id: UserId, secret_hash: &[u8]) -> Session {
    let new = NewSession {
        secret_hash: secret_hash.to_vec(),
        user_id,
        auth_version: 0,
        ip: None,
        user_agent: Some("browser".to_owned()),
        now: 1000,
        expires_at: 2000,
        is_proved: false,
    };
    let transaction = store.write().await.unwrap();
    let session = sessions::insert(&transaction, new).await.unwrap();
    transaction.commit().await.unwrap();
    session
}

async fn a_session_keeps_when_its_person_was_proved(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    let session = log_in(&store, user, SECRET).await;
    assert_eq!(session.proved_at, None);
    let transaction = store.write().await.unwrap();
    assert!(
        sessions::prove(&transaction, session.id, 1200)
            .await
            .unwrap()
    );
    transaction.commit().await.unwrap();
    let found = sessions::find(store.read(), SECRET, 1500).await.unwrap();
    assert_eq!(found.unwrap().proved_at, Some(1200));
    let is_live = async |now| sessions::is_live(store.read(), session.id, now).await;
    assert!(is_live(1999).await.unwrap());
    assert!(!is_live(2000).await.unwrap());
    let transaction = store.write().await.unwrap();
    users::raise_auth_version(&transaction, user).await.unwrap();
    transaction.commit().await.unwrap();
    assert!(!is_live(1999).await.unwrap());
}

async fn a_session_is_found_by_its_hash_until_it_ends(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    let session = log_in(&store, user, SECRET).await;
    assert_eq!(
        (session.ip.as_deref(), session.user_agent.as_deref()),
        (None, Some("browser"))
    );
    let found = sessions::find(store.read(), SECRET, 1999).await.unwrap();
    assert_eq!(found.as_ref(), Some(&session));
    assert_eq!(
        sessions::find(store.read(), SECRET, 2000).await.unwrap(),
        None
    );
    assert_eq!(
        sessions::find(store.read(), b"other", 1999).await.unwrap(),
        None
    );

    let transaction = store.write().await.unwrap();
    sessions::touch(&transaction, session.id, 1500, 3000)
        .await
        .unwrap();
    assert_eq!(
        sessions::delete_expired(&transaction, 2500).await.unwrap(),
        0
    );
    transaction.commit().await.unwrap();
    let moved = sessions::find(store.read(), SECRET, 2500)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((moved.last_seen_at, moved.expires_at), (1500, 3000));
    let transaction = store.write().await.unwrap();
    assert_eq!(
        sessions::delete_expired(&transaction, 3000).await.unwrap(),
        1
    );
}

async fn a_new_auth_version_ends_all_sessions_but_the_rotated_one(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    let kept = log_in(&store, user, b"kept").await;
    log_in(&store, user, b"ended").await;
    assert_eq!(
        sessions::list(store.read(), user, 1500)
            .await
            .unwrap()
            .len(),
        2
    );

    let transaction = store.write().await.unwrap();
    let version = users::raise_auth_version(&transaction, user)
        .await
        .unwrap()
        .unwrap();
    assert!(
        sessions::rotate(&transaction, kept.id, b"fresh", version)
            .await
            .unwrap()
    );
    assert!(
        !sessions::rotate(&transaction, SessionId(999), b"none", version)
            .await
            .unwrap()
    );
    transaction.commit().await.unwrap();

    for (secret, is_live) in [("kept", false), ("ended", false), ("fresh", true)] {
        let found = sessions::find(store.read(), secret.as_bytes(), 1500)
            .await
            .unwrap();
        assert_eq!(found.is_some(), is_live, "{secret}");
    }
    let listed = sessions::list(store.read(), user, 1500).await.unwrap();
    assert_eq!(
        listed.iter().map(|one| one.id).collect::<Vec<_>>(),
        [kept.id]
    );
}

async fn only_the_owner_ends_a_session(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    let session = log_in(&store, ann, SECRET).await;
    let transaction = store.write().await.unwrap();
    assert!(
        !sessions::delete(&transaction, bob, session.id)
            .await
            .unwrap()
    );
    assert!(
        sessions::delete(&transaction, ann, session.id)
            .await
            .unwrap()
    );
    assert!(
        !sessions::delete(&transaction, ann, session.id)
            .await
            .unwrap()
    );
}

fn flow(user_id: Option<UserId>) -> LoginFlow {
    LoginFlow {
        purpose: "2fa_login".to_owned(),
        user_id,
        auth_version: 3,
        state: None,
        attempts: 0,
        expires_at: 2000,
    }
}

async fn begin(store: &Store, flow: &LoginFlow) {
    let transaction = store.write().await.unwrap();
    login_flows::begin(&transaction, SECRET, flow, 1000)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
}

async fn a_flow_is_finished_once_and_only_for_its_purpose(place: Place) {
    let store = place.open().await;
    let begun = LoginFlow {
        state: Some(vec![7, 0]),
        ..flow(None)
    };
    begin(&store, &begun).await;
    let found = login_flows::find(store.read(), "2fa_login", SECRET, 1500)
        .await
        .unwrap();
    assert_eq!(found, Some(begun));
    let other = login_flows::find(store.read(), "passkey_login", SECRET, 1500)
        .await
        .unwrap();
    assert_eq!(other, None);
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let transaction = store.write().await.unwrap();
                let purposes = ["passkey_login", "2fa_login"];
                let mut finished = 0;
                for purpose in purposes {
                    let done = login_flows::consume(&transaction, purpose, SECRET, 1500).await;
                    finished += usize::from(done.unwrap());
                }
                transaction.commit().await.unwrap();
                finished
            })
        })
        .collect();
    let mut finished = 0;
    for task in tasks {
        finished += task.await.unwrap();
    }
    assert_eq!(finished, 1);
    let found = login_flows::find(store.read(), "2fa_login", SECRET, 1500)
        .await
        .unwrap();
    assert_eq!(found, None);
}

async fn a_flow_takes_a_limited_number_of_tries(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    begin(&store, &flow(Some(user))).await;
    let transaction = store.write().await.unwrap();
    for tries in [1, 2] {
        let tried = login_flows::attempt(&transaction, "2fa_login", SECRET, 2, 1500)
            .await
            .unwrap();
        let expected = LoginFlow {
            attempts: tries,
            ..flow(Some(user))
        };
        assert_eq!(tried, Some(expected));
    }
    let tried = login_flows::attempt(&transaction, "2fa_login", SECRET, 2, 1500)
        .await
        .unwrap();
    assert_eq!(tried, None);
    let late = login_flows::attempt(&transaction, "2fa_login", SECRET, 9, 2000)
        .await
        .unwrap();
    assert_eq!(late, None);
    assert_eq!(
        login_flows::delete_expired(&transaction, 1999)
            .await
            .unwrap(),
        0
    );
    assert_eq!(
        login_flows::delete_expired(&transaction, 2000)
            .await
            .unwrap(),
        1
    );
}

async fn set_up(store: &Store, user: UserId, secret: &[u8], codes: &[Vec<u8>]) -> bool {
    let transaction = store.write().await.unwrap();
    let done = two_factor::set_up(&transaction, user, secret, codes, 1000)
        .await
        .unwrap();
    transaction.commit().await.unwrap();
    done
}

async fn a_set_up_is_replaced_until_it_is_switched_on(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    assert_eq!(two_factor::get(store.read(), user).await.unwrap(), None);
    assert!(set_up(&store, user, b"first", &[vec![1], vec![2]]).await);
    assert!(set_up(&store, user, b"second", &[vec![3]]).await);
    let factor = two_factor::get(store.read(), user).await.unwrap().unwrap();
    assert_eq!(factor.secret_encrypted, b"second");
    assert_eq!(
        (
            factor.enabled_at,
            factor.last_used_step,
            factor.locked_until
        ),
        (None, None, None)
    );
    assert_eq!(
        two_factor::backup_codes_left(store.read(), user)
            .await
            .unwrap(),
        1
    );

    let transaction = store.write().await.unwrap();
    assert!(
        two_factor::enable(&transaction, user, 77, 1100)
            .await
            .unwrap()
    );
    assert!(
        !two_factor::enable(&transaction, user, 78, 1100)
            .await
            .unwrap()
    );
    // The code that switched it on cannot be used again.
    assert!(!two_factor::use_step(&transaction, user, 77).await.unwrap());
    transaction.commit().await.unwrap();
    assert!(!set_up(&store, user, b"third", &[]).await);
    assert_eq!(
        two_factor::backup_codes_left(store.read(), user)
            .await
            .unwrap(),
        1
    );

    let transaction = store.write().await.unwrap();
    assert!(two_factor::delete(&transaction, user).await.unwrap());
    assert!(!two_factor::delete(&transaction, user).await.unwrap());
    transaction.commit().await.unwrap();
    assert_eq!(
        two_factor::backup_codes_left(store.read(), user)
            .await
            .unwrap(),
        0
    );
}

async fn a_step_is_used_once_by_racing_tasks(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    set_up(&store, user, b"secret", &[]).await;
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let transaction = store.write().await.unwrap();
                let is_first = two_factor::use_step(&transaction, user, 58_666_666)
                    .await
                    .unwrap();
                transaction.commit().await.unwrap();
                usize::from(is_first)
            })
        })
        .collect();
    let mut times = 0;
    for task in tasks {
        times += task.await.unwrap();
    }
    assert_eq!(times, 1);
    let transaction = store.write().await.unwrap();
    assert!(
        !two_factor::use_step(&transaction, user, 58_666_665)
            .await
            .unwrap()
    );
    assert!(
        two_factor::use_step(&transaction, user, 58_666_667)
            .await
            .unwrap()
    );
}

async fn parallel_guesses_cannot_outrun_the_lock(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    set_up(&store, user, b"secret", &[]).await;
    let tasks: Vec<_> = (0..16)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let transaction = store.write().await.unwrap();
                let tries = two_factor::begin_attempt(&transaction, user, 1000)
                    .await
                    .unwrap();
                if tries.is_some_and(|tries| tries >= 5) {
                    two_factor::lock(&transaction, user, 5000).await.unwrap();
                }
                transaction.commit().await.unwrap();
                usize::from(tries.is_some())
            })
        })
        .collect();
    let mut looked_at = 0;
    for task in tasks {
        looked_at += task.await.unwrap();
    }
    assert_eq!(looked_at, 5);
    let transaction = store.write().await.unwrap();
    assert_eq!(
        two_factor::begin_attempt(&transaction, user, 4999)
            .await
            .unwrap(),
        None
    );
    assert_eq!(
        two_factor::begin_attempt(&transaction, user, 5000)
            .await
            .unwrap(),
        Some(6)
    );
    assert!(two_factor::use_step(&transaction, user, 1).await.unwrap());
    assert_eq!(
        two_factor::begin_attempt(&transaction, user, 1000)
            .await
            .unwrap(),
        Some(1)
    );
}

async fn a_backup_code_works_once(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    set_up(&store, ann, b"secret", &[vec![1], vec![2]]).await;
    let transaction = store.write().await.unwrap();
    two_factor::begin_attempt(&transaction, ann, 1)
        .await
        .unwrap();
    assert!(
        !two_factor::use_backup_code(&transaction, bob, &[1], 5)
            .await
            .unwrap()
    );
    assert!(
        two_factor::use_backup_code(&transaction, ann, &[1], 5)
            .await
            .unwrap()
    );
    assert!(
        !two_factor::use_backup_code(&transaction, ann, &[1], 6)
            .await
            .unwrap()
    );
    assert_eq!(
        two_factor::backup_codes_left(&transaction, ann)
            .await
            .unwrap(),
        1
    );
    assert_eq!(
        two_factor::get(&transaction, ann)
            .await
            .unwrap()
            .unwrap()
            .failures,
        0
    );
    two_factor::replace_backup_codes(&transaction, ann, &[vec![1], vec![4], vec![5]])
        .await
        .unwrap();
    assert_eq!(
        two_factor::backup_codes_left(&transaction, ann)
            .await
            .unwrap(),
        3
    );
}

async fn an_identity_belongs_to_one_user(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    let new = |user_id| NewIdentity {
        user_id,
        issuer: "https://id.example",
        subject: "1",
        label: "ann@id.example",
    };
    let transaction = store.write().await.unwrap();
    let linked = identities::insert(&transaction, new(ann), 5).await.unwrap();
    transaction.commit().await.unwrap();
    let transaction = store.write().await.unwrap();
    let taken = identities::insert(&transaction, new(bob), 6).await;
    assert!(matches!(taken, Err(StoreError::Conflict(_))), "{taken:?}");
    drop(transaction);
    let transaction = store.write().await.unwrap();
    let used = |subject: &'static str| {
        identities::note_use(&transaction, "https://id.example", subject, 9)
    };
    assert_eq!(used("1").await.unwrap(), Some(ann));
    assert_eq!(used("2").await.unwrap(), None);
    assert!(
        !identities::delete(&transaction, bob, linked.id)
            .await
            .unwrap()
    );
    let all = identities::list(&transaction, ann).await.unwrap();
    assert_eq!((all.len(), all[0].last_used_at), (1, 9));
    assert!(
        identities::delete(&transaction, ann, linked.id)
            .await
            .unwrap()
    );
    assert!(
        identities::list(&transaction, ann)
            .await
            .unwrap()
            .is_empty()
    );
    transaction.commit().await.unwrap();
}

async fn passkeys_keep_their_credential(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    let transaction = store.write().await.unwrap();
    let key = passkeys::insert(&transaction, ann, b"cred", "laptop", "{}", 5)
        .await
        .unwrap();
    assert_eq!(key.last_used_at, None);
    passkeys::note_use(&transaction, key.id, r#"{"counter":1}"#, 9)
        .await
        .unwrap();
    transaction.commit().await.unwrap();

    let transaction = store.write().await.unwrap();
    let error = passkeys::insert(&transaction, bob, b"cred", "copy", "{}", 5)
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::Conflict(_)), "{error}");
    drop(transaction);

    let found = passkeys::find(store.read(), b"cred")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (found.credential.as_str(), found.last_used_at),
        (r#"{"counter":1}"#, Some(9))
    );
    assert_eq!(passkeys::list(store.read(), ann).await.unwrap(), [found]);
    let transaction = store.write().await.unwrap();
    assert!(!passkeys::delete(&transaction, bob, key.id).await.unwrap());
    assert!(passkeys::delete(&transaction, ann, key.id).await.unwrap());
}

fn new_token<'a>(user_id: UserId, name: &'a str, secret_hash: &'a [u8]) -> NewAccessToken<'a> {
    NewAccessToken {
        user_id,
        name,
        secret_hash,
        scopes: "read write",
        expires_at: 10_000,
    }
}

async fn access_tokens_end_and_are_removed(place: Place) {
    let store = place.open().await;
    let (ann, bob) = (a_user(&store, "ann").await, a_user(&store, "bob").await);
    let transaction = store.write().await.unwrap();
    let lasting = access_tokens::insert(&transaction, new_token(ann, "ci", b"a"), 1)
        .await
        .unwrap();
    let short = NewAccessToken {
        expires_at: 100,
        ..new_token(ann, "short", b"b")
    };
    access_tokens::insert(&transaction, short, 1).await.unwrap();
    access_tokens::touch(&transaction, lasting.id, 50)
        .await
        .unwrap();
    transaction.commit().await.unwrap();

    let found = access_tokens::find(store.read(), b"a", 9999)
        .await
        .unwrap()
        .unwrap();
    assert_eq!((found.last_used_at, found.expires_at), (Some(50), 10_000));
    assert_eq!(found.scopes, "read write");
    let is_live = async |now| access_tokens::is_live(store.read(), lasting.id, now).await;
    assert!(is_live(9_999).await.unwrap());
    assert!(!is_live(10_000).await.unwrap());
    assert!(
        access_tokens::find(store.read(), b"b", 99)
            .await
            .unwrap()
            .is_some()
    );
    assert!(
        access_tokens::find(store.read(), b"b", 100)
            .await
            .unwrap()
            .is_none()
    );
    let names = access_tokens::list(store.read(), ann).await.unwrap();
    assert_eq!(
        names
            .iter()
            .map(|one| one.name.as_str())
            .collect::<Vec<_>>(),
        ["short", "ci"]
    );
    let transaction = store.write().await.unwrap();
    assert!(
        !access_tokens::delete(&transaction, bob, lasting.id)
            .await
            .unwrap()
    );
    assert!(
        access_tokens::delete(&transaction, ann, lasting.id)
            .await
            .unwrap()
    );
}

async fn deleting_a_user_ends_every_way_in(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    log_in(&store, user, SECRET).await;
    set_up(&store, user, b"secret", &[vec![1]]).await;
    begin(&store, &flow(Some(user))).await;
    let transaction = store.write().await.unwrap();
    access_tokens::insert(&transaction, new_token(user, "ci", b"a"), 1)
        .await
        .unwrap();
    passkeys::insert(&transaction, user, b"cred", "laptop", "{}", 5)
        .await
        .unwrap();
    assert!(users::delete(&transaction, user, 1500).await.unwrap());
    transaction.commit().await.unwrap();
    assert_eq!(
        sessions::find(store.read(), SECRET, 1500).await.unwrap(),
        None
    );
    assert_eq!(two_factor::get(store.read(), user).await.unwrap(), None);
    assert_eq!(
        access_tokens::find(store.read(), b"a", 1).await.unwrap(),
        None
    );
    assert_eq!(passkeys::find(store.read(), b"cred").await.unwrap(), None);
    let flow = login_flows::find(store.read(), "2fa_login", SECRET, 1500)
        .await
        .unwrap();
    assert_eq!(flow, None);
}
