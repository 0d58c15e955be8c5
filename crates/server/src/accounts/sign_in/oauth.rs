//! OAuth 2 without OpenID Connect: the code becomes an access token, and with that the provider is asked who the person
//! is. The token is used for these questions and then forgotten.

use serde_json::Value;

use super::call::{ProviderError, basic, challenge_of, get, post_form, with_query};
use super::person::Person;
use crate::app::App;
use crate::config::{ClientAuth, OAuthDeclaration, Secret};
use crate::payments::encode_form;

const LONGEST_SUBJECT: usize = 255;
const LONGEST_TOKEN: usize = 8_192;
/// How much of a provider's own word for what is wrong goes into the log.
const LONGEST_WORD: usize = 64;

/// Where a person is sent. `verifier` stays with us; only its hash goes along.
pub(super) fn page(
    declared: &OAuthDeclaration,
    redirect_uri: &str,
    (state, verifier): (&str, &str),
) -> String {
    let challenge = challenge_of(verifier);
    let mut fields = vec![
        ("response_type", "code"),
        ("client_id", declared.client_id.as_str()),
        ("redirect_uri", redirect_uri),
        ("state", state),
        ("code_challenge", challenge.as_str()),
        ("code_challenge_method", "S256"),
    ];
    if !declared.scopes.is_empty() {
        fields.push(("scope", declared.scopes.as_str()));
    }
    with_query(&declared.authorization_url, &fields)
}

/// Turns the code into what the provider says about the person.
pub(super) async fn identify(
    app: &App,
    declared: &OAuthDeclaration,
    redirect_uri: &str,
    (code, verifier): (&str, &str),
) -> Result<Person, ProviderError> {
    let token = access_token(app, declared, redirect_uri, (code, verifier)).await?;
    let bearer = format!("Bearer {token}");
    let profile = get(app, &declared.userinfo_url, Some(&bearer)).await?;
    let mut person = person(declared, &profile)?;
    if !declared.emails_url.is_empty() {
        let email = primary_email(app, declared, &bearer).await?;
        person.is_email_verified = email.is_some();
        person.email = email.or(person.email);
    }
    Ok(person)
}

async fn access_token(
    app: &App,
    declared: &OAuthDeclaration,
    redirect_uri: &str,
    (code, verifier): (&str, &str),
) -> Result<String, ProviderError> {
    let secret = declared.client_secret.as_ref().map_or("", Secret::expose);
    let mut fields = vec![
        ("grant_type", "authorization_code"),
        ("code", code),
        ("redirect_uri", redirect_uri),
        ("client_id", declared.client_id.as_str()),
        ("code_verifier", verifier),
    ];
    let proof = match declared.client_auth {
        ClientAuth::Body => {
            fields.push(("client_secret", secret));
            None
        }
        ClientAuth::Basic => Some(basic(&declared.client_id, secret)),
    };
    let form = encode_form(&fields);
    let answer = post_form(app, &declared.token_url, proof.as_deref(), form).await?;
    // GitHub says so with the status of success.
    if let Some(word) = answer["error"].as_str() {
        let plain = word.chars().filter(char::is_ascii_graphic);
        return Err(ProviderError::CodeRefused(
            plain.take(LONGEST_WORD).collect(),
        ));
    }
    let kind = &answer["token_type"];
    let is_bearer = |kind: &str| kind.eq_ignore_ascii_case("bearer");
    if !kind.is_null() && !kind.as_str().is_some_and(is_bearer) {
        return Err(ProviderError::Unreadable("kind of token"));
    }
    let token = answer["access_token"].as_str();
    let token = token.filter(|token| !token.is_empty() && token.len() <= LONGEST_TOKEN);
    let token = token.ok_or(ProviderError::Unreadable("no access token"))?;
    Ok(token.to_owned())
}

fn person(declared: &OAuthDeclaration, profile: &Value) -> Result<Person, ProviderError> {
    let text = |field: &str| {
        let text = at(profile, field).as_str();
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let subject = subject(at(profile, &declared.subject_field));
    Ok(Person {
        subject: subject.ok_or(ProviderError::Unreadable("subject"))?,
        email: text(&declared.email_field),
        is_email_verified: *at(profile, &declared.email_verified_field) == Value::Bool(true),
        username: text(&declared.username_field),
        name: text(&declared.name_field),
    })
}

/// A text, or a whole number as it is written: what a provider calls somebody for good.
fn subject(value: &Value) -> Option<String> {
    let subject = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => {
            let digits = number.to_string();
            let is_whole = digits.bytes().all(|byte| byte.is_ascii_digit());
            is_whole.then_some(digits)?
        }
        _ => return None,
    };
    let is_one = !subject.is_empty() && subject.len() <= LONGEST_SUBJECT;
    is_one.then_some(subject)
}

/// A field of a profile; dots lead into objects. What is not there is null.
fn at<'a>(profile: &'a Value, path: &str) -> &'a Value {
    path.split('.').fold(profile, |value, name| &value[name])
}

/// The person's main address, where the provider has verified it. Who was not asked for the right to see addresses, or
/// did not give it, has none.
async fn primary_email(
    app: &App,
    declared: &OAuthDeclaration,
    bearer: &str,
) -> Result<Option<String>, ProviderError> {
    let listed = match get(app, &declared.emails_url, Some(bearer)).await {
        Ok(listed) => listed,
        Err(ProviderError::Refused(status)) => {
            tracing::debug!(status, provider = declared.name, "addresses are not shown");
            return Ok(None);
        }
        Err(error) => return Err(error),
    };
    let entries = listed.as_array().into_iter().flatten();
    let is = |entry: &Value, field: &str| entry[field] == Value::Bool(true);
    let mut good = entries.filter(|entry| is(entry, "primary") && is(entry, "verified"));
    let email = good.find_map(|entry| entry["email"].as_str());
    Ok(email.map(str::to_owned))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_subject_is_a_text_or_a_whole_number() {
        for (given, read) in [
            (json!(583_231), Some("583231")),
            (json!("583231"), Some("583231")),
            (json!("80351110224678912"), Some("80351110224678912")),
            (json!(1.5), None),
            (json!(-1), None),
            (json!(""), None),
            (json!("x".repeat(256)), None),
            (json!(null), None),
            (json!(true), None),
            (json!({"id": 1}), None),
        ] {
            assert_eq!(subject(&given).as_deref(), read, "{given}");
        }
    }

    #[test]
    fn fields_lie_deep_or_not_at_all() {
        let profile = json!({"id": 1, "data": {"user": {"id": 2}}});
        assert_eq!(at(&profile, "id"), &json!(1));
        assert_eq!(at(&profile, "data.user.id"), &json!(2));
        for missing in ["", "data.id", "id.deeper", "data.user.id.deeper"] {
            assert!(at(&profile, missing).is_null(), "{missing}");
        }
    }
}
