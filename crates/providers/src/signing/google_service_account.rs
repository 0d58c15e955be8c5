//! Google's service accounts: a signed statement about oneself is exchanged for an access token. Pure
//! but for the signature's blinding; the exchange itself is the caller's.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::{HeaderValue, Method, header};
use jiff::{SignedDuration, Timestamp};
use ring::{digest, rand, signature};
use rustls::pki_types::PrivatePkcs8KeyDer;
use rustls::pki_types::pem::PemObject as _;
use serde::Deserialize;
use serde_json::json;

use crate::path_segment::query_value;
use crate::{BadCredential, BaseUrl, Credential, RequestBody, Secret, SignError, UpstreamRequest};

const TOKEN_SERVER: &str = "https://oauth2.googleapis.com/token";
const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
const GRANT: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";
/// How long the statement is good for; the longest that is allowed.
const STATEMENT_S: i64 = 3600;
/// A token that ends sooner than this is not used any more.
const MARGIN_S: i64 = 300;

/// Who asks for a token.
#[derive(Debug, Clone)]
pub struct ServiceAccount {
    email: Secret,
    private_key: Secret,
    token_server: String,
}

/// A token and its end.
#[derive(Debug, Clone)]
pub struct AccessToken {
    /// The token.
    pub secret: Secret,
    good_until: Timestamp,
}

impl ServiceAccount {
    /// The account in a credential.
    pub fn of(credential: &Credential) -> Result<Self, BadCredential> {
        let token_server = credential
            .field("token_uri")
            .map_or(TOKEN_SERVER, Secret::expose);
        Ok(Self {
            email: credential.require("client_email")?.clone(),
            private_key: credential.require("private_key")?.clone(),
            token_server: token_server.to_owned(),
        })
    }

    /// Tells accounts apart without holding their secrets.
    pub fn fingerprint(&self) -> [u8; 32] {
        let mut context = digest::Context::new(&digest::SHA256);
        for part in [
            self.email.expose(),
            self.private_key.expose(),
            &self.token_server,
        ] {
            context.update(&part.len().to_be_bytes());
            context.update(part.as_bytes());
        }
        context
            .finish()
            .as_ref()
            .try_into()
            .expect("the digest has 32 bytes")
    }

    /// The request that the token server answers with a token.
    pub fn token_request(&self, now: Timestamp) -> Result<UpstreamRequest, SignError> {
        let unusable = |_| SignError::UnreadableToken;
        let base = BaseUrl::parse(&self.token_server).map_err(unusable)?;
        let target = base.target("").map_err(unusable)?;
        let assertion = self.statement(now)?;
        let form = format!("grant_type={}&assertion={assertion}", query_value(GRANT));
        let body = RequestBody::Whole(form.into());
        let mut request = UpstreamRequest::new(Method::POST, target, body);
        let media_type = HeaderValue::from_static("application/x-www-form-urlencoded");
        request.headers.insert(header::CONTENT_TYPE, media_type);
        Ok(request)
    }

    /// The signed statement, a JSON web token.
    fn statement(&self, now: Timestamp) -> Result<String, SignError> {
        let issued = now.as_second();
        let head = json!({ "alg": "RS256", "typ": "JWT" });
        let claims = json!({
            "iss": self.email.expose(),
            "scope": SCOPE,
            "aud": self.token_server,
            "iat": issued,
            "exp": issued + STATEMENT_S,
        });
        let encode = |value: serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let mut statement = format!("{}.{}", encode(head), encode(claims));
        let signature = self.sign(statement.as_bytes())?;
        statement.push('.');
        statement.push_str(&URL_SAFE_NO_PAD.encode(signature));
        Ok(statement)
    }

    fn sign(&self, text: &[u8]) -> Result<Vec<u8>, SignError> {
        let der = PrivatePkcs8KeyDer::from_pem_slice(self.private_key.expose().as_bytes())
            .map_err(|_| SignError::PrivateKey)?;
        let key = signature::RsaKeyPair::from_pkcs8(der.secret_pkcs8_der())
            .map_err(|_| SignError::PrivateKey)?;
        let mut signed = vec![0; key.public().modulus_len()];
        let random = rand::SystemRandom::new();
        key.sign(&signature::RSA_PKCS1_SHA256, &random, text, &mut signed)
            .map_err(|_| SignError::PrivateKey)?;
        Ok(signed)
    }
}

impl AccessToken {
    /// Reads the token server's answer.
    pub fn read(reply: &[u8], now: Timestamp) -> Result<Self, SignError> {
        #[derive(Deserialize)]
        struct Reply {
            access_token: String,
            expires_in: i64,
        }
        let reply: Reply = serde_json::from_slice(reply).map_err(|_| SignError::UnreadableToken)?;
        let life = SignedDuration::from_secs(reply.expires_in.clamp(0, STATEMENT_S));
        let good_until = now
            .checked_add(life)
            .map_err(|_| SignError::UnreadableToken)?;
        Ok(Self {
            secret: Secret::new(reply.access_token),
            good_until,
        })
    }

    /// Whether a call that begins now may use it.
    pub fn is_good_at(&self, now: Timestamp) -> bool {
        self.good_until.as_second() - now.as_second() > MARGIN_S
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeyFields;

    const KEY: &str = include_str!("../../tests/fixtures/service_account_key.pem");
    const PUBLIC: &[u8] = include_bytes!("../../tests/fixtures/service_account_public.der");

    fn account(key: &str) -> ServiceAccount {
        let text = json!({
            "client_email": "robot@project.iam.example",
            "private_key": key,
            "token_uri": "https://tokens.example/token",
        });
        let fields = KeyFields::parse(&text.to_string()).unwrap();
        let origin = BaseUrl::parse("https://a.example")
            .unwrap()
            .origin()
            .clone();
        ServiceAccount::of(&Credential::pin(fields, &[], origin).unwrap()).unwrap()
    }

    #[test]
    fn the_statement_is_signed_and_says_who_and_when() {
        let now = Timestamp::from_second(1_700_000_000).unwrap();
        let request = account(KEY).token_request(now).unwrap();
        assert_eq!(request.target.origin.to_string(), "https://tokens.example");
        assert_eq!(request.target.path, "/token");
        let form = std::str::from_utf8(request.body.whole().unwrap()).unwrap();
        let (grant, token) = form.split_once("&assertion=").unwrap();
        assert_eq!(
            grant,
            "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
        );
        let (text, signed) = token.rsplit_once('.').unwrap();
        let public =
            signature::UnparsedPublicKey::new(&signature::RSA_PKCS1_2048_8192_SHA256, PUBLIC);
        let signed = URL_SAFE_NO_PAD.decode(signed).unwrap();
        public.verify(text.as_bytes(), &signed).unwrap();
        let claims = URL_SAFE_NO_PAD
            .decode(text.split('.').nth(1).unwrap())
            .unwrap();
        let claims: serde_json::Value = serde_json::from_slice(&claims).unwrap();
        assert_eq!(claims["iss"], "robot@project.iam.example");
        assert_eq!(claims["aud"], "https://tokens.example/token");
        assert_eq!(claims["iat"], 1_700_000_000);
        assert_eq!(claims["exp"], 1_700_003_600);
    }

    #[test]
    fn a_key_that_is_none_is_refused() {
        let now = Timestamp::from_second(0).unwrap();
        for key in [
            "nonsense",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        ] {
            let refused = account(key).token_request(now);
            assert!(matches!(refused, Err(SignError::PrivateKey)));
        }
    }

    #[test]
    fn a_token_is_good_until_shortly_before_its_end() {
        let at = |second| Timestamp::from_second(second).unwrap();
        let reply = br#"{"access_token":"ya29.x","expires_in":3599,"token_type":"Bearer"}"#;
        let token = AccessToken::read(reply, at(1000)).unwrap();
        assert_eq!(token.secret.expose(), "ya29.x");
        assert!(token.is_good_at(at(1000)) && token.is_good_at(at(4298)));
        assert!(!token.is_good_at(at(4299)));
        assert!(AccessToken::read(br#"{"error":"invalid_grant"}"#, at(0)).is_err());
    }

    #[test]
    fn accounts_are_told_apart() {
        assert_eq!(account(KEY).fingerprint(), account(KEY).fingerprint());
        assert_ne!(account(KEY).fingerprint(), account("x").fingerprint());
    }
}
