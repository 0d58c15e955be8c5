//! OpenID Connect: the provider's description, the address to which people are sent, and the exchange of the code that
//! they come back with.

use serde::{Deserialize, Serialize};

use super::call::{ProviderError, basic, challenge_of, get, post_form, with_query};
use super::id_token::{Expected, check};
use super::person::Person;
use crate::app::App;
use crate::config::{OidcDeclaration, Secret};
use crate::payments::encode_form;

const DESCRIPTION: &str = "/.well-known/openid-configuration";
const DESCRIPTION_LIFE_MS: u64 = 600_000;

/// A provider's description of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Description {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
}

/// Reads the description, which is remembered for a while.
async fn discover(app: &App, declared: &OidcDeclaration) -> Result<Description, ProviderError> {
    let now = app.clock().now_ms();
    let key = format!("oidc:{}", declared.name);
    if let Ok(Some(known)) = app.local().cache_get(&key, now).await
        && let Ok(known) = serde_json::from_slice::<Description>(&known)
        && known.issuer == declared.issuer
    {
        return Ok(known);
    }
    let address = format!("{}{DESCRIPTION}", declared.issuer.trim_end_matches('/'));
    let answer = get(app, &address, None).await?;
    let described: Description =
        serde_json::from_value(answer).map_err(|_| ProviderError::Unreadable("description"))?;
    // Whoever answers must be the one that was asked for, or tokens could be mixed up.
    if described.issuer != declared.issuer {
        return Err(ProviderError::Unreadable("issuer"));
    }
    if let Ok(bytes) = serde_json::to_vec(&described) {
        let local = app.local();
        let kept = local
            .cache_put(&key, &bytes, DESCRIPTION_LIFE_MS, now)
            .await;
        if let Err(error) = kept {
            tracing::debug!(%error, "a provider's description was not kept");
        }
    }
    Ok(described)
}

/// Where a person is sent. `verifier` stays with us; only its hash goes along.
pub(super) async fn page(
    app: &App,
    declared: &OidcDeclaration,
    redirect_uri: &str,
    (state, nonce, verifier): (&str, &str, &str),
) -> Result<String, ProviderError> {
    let described = discover(app, declared).await?;
    let challenge = challenge_of(verifier);
    let fields = [
        ("response_type", "code"),
        ("client_id", declared.client_id.as_str()),
        ("redirect_uri", redirect_uri),
        ("scope", "openid profile email"),
        ("state", state),
        ("nonce", nonce),
        ("code_challenge", challenge.as_str()),
        ("code_challenge_method", "S256"),
    ];
    Ok(with_query(&described.authorization_endpoint, &fields))
}

/// Turns the code into what the provider says about the person.
pub(super) async fn identify(
    app: &App,
    declared: &OidcDeclaration,
    redirect_uri: &str,
    (code, nonce, verifier): (&str, &str, &str),
) -> Result<Person, ProviderError> {
    let described = discover(app, declared).await?;
    let form = encode_form(&[
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", redirect_uri),
        ("client_id", &declared.client_id),
        ("code_verifier", verifier),
    ]);
    let secret = declared.client_secret.as_ref().map_or("", Secret::expose);
    let basic = basic(&declared.client_id, secret);
    let answer = post_form(app, &described.token_endpoint, Some(&basic), form).await?;
    let token = answer["id_token"]
        .as_str()
        .ok_or(ProviderError::Unreadable("no ID token"))?;
    let keys = get(app, &described.jwks_uri, None).await?;
    let expected = Expected {
        issuer: &described.issuer,
        client_id: &declared.client_id,
        nonce,
        now_s: app.clock().now_ms() / 1000,
    };
    let claims = check(token, &keys, &expected)?;
    Ok(Person {
        subject: claims.sub,
        email: claims.email,
        is_email_verified: claims.email_verified == Some(true),
        username: claims.preferred_username,
        name: claims.name,
    })
}
