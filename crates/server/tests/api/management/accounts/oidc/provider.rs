//! An identity provider made of a socket, which says what a test tells it to say.

use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::rsa::{KeyPair as RsaKeyPair, PublicKeyComponents};
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, RSA_PKCS1_SHA256,
};
use serde_json::{Value, json};

use super::http::{Asked, answer};
use crate::support::Office;

/// When tests take place, in unix seconds.
pub const NOW_S: i64 = 1_767_225_600;

/// The client's secret, which only the token endpoint may see.
const CLIENT_SECRET: &str = "hush hush canary";

/// What signs tokens.
pub enum Key {
    Ec(EcdsaKeyPair),
    Rsa(RsaKeyPair),
}

impl Key {
    pub fn ec() -> Self {
        let (random, algorithm) = (SystemRandom::new(), &ECDSA_P256_SHA256_FIXED_SIGNING);
        let document = EcdsaKeyPair::generate_pkcs8(algorithm, &random).expect("a key");
        Self::Ec(EcdsaKeyPair::from_pkcs8(algorithm, document.as_ref(), &random).expect("a key"))
    }

    pub fn rsa() -> Self {
        let key = include_bytes!("../../../fixtures/identity-provider-rsa.der");
        Self::Rsa(RsaKeyPair::from_pkcs8(key).expect("a key"))
    }

    /// A token that says this.
    pub fn sign(&self, claims: &Value) -> String {
        let algorithm = match self {
            Self::Ec(_) => "ES256",
            Self::Rsa(_) => "RS256",
        };
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let head = json!({"alg": algorithm, "kid": "k"});
        let message = format!("{}.{}", part(&head), part(claims));
        let random = SystemRandom::new();
        let by = match self {
            Self::Ec(key) => {
                let by = key.sign(&random, message.as_bytes()).expect("a signature");
                by.as_ref().to_vec()
            }
            Self::Rsa(key) => {
                let mut by = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, message.as_bytes(), &mut by)
                    .expect("a signature");
                by
            }
        };
        format!("{message}.{}", URL_SAFE_NO_PAD.encode(by))
    }

    fn public(&self) -> Value {
        let number = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        match self {
            Self::Ec(key) => {
                let point = key.public_key().as_ref();
                json!({"kty": "EC", "crv": "P-256", "kid": "k", "use": "sig",
                    "x": number(&point[1..33]), "y": number(&point[33..])})
            }
            Self::Rsa(key) => {
                let parts = PublicKeyComponents::<Vec<u8>>::from(key.public());
                json!({"kty": "RSA", "kid": "k", "n": number(&parts.n), "e": number(&parts.e)})
            }
        }
    }
}

/// The provider.
pub struct IdentityProvider {
    pub issuer: String,
    pub key: Arc<Key>,
    /// The next ID token.
    pub token: Arc<Mutex<String>>,
    /// What the token endpoint was sent.
    pub forms: Arc<Mutex<Vec<String>>>,
}

impl IdentityProvider {
    pub fn open() -> Self {
        Self::signing_with(Key::ec())
    }

    pub fn signing_with(key: Key) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let provider = Self {
            issuer: format!("http://{}", listener.local_addr().expect("an address")),
            key: Arc::new(key),
            token: Arc::default(),
            forms: Arc::default(),
        };
        let (issuer, key) = (provider.issuer.clone(), provider.key.clone());
        let (token, forms) = (provider.token.clone(), provider.forms.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(stream) = stream else { return };
                serve(stream, &issuer, &key, &token, &forms);
            }
        });
        provider
    }

    /// A service that knows this provider as `work`; `more` goes before and after its entry.
    pub fn office(&self, (before, after): (&str, &str)) -> Office {
        Office::with(&format!(
            "[server]\npublic_url = \"http://gate.example\"\n[outbound]\nallow_private = [\"127.0.0.0/8\"]\n{before}\n[[oidc]]\nname = \"work\"\n\
             label = \"Work\"\nissuer = \"{}\"\nclient_id = \"gate\"\n\
             client_secret = \"{CLIENT_SECRET}\"\n{after}\n",
            self.issuer
        ))
    }

    /// What the next token usually says, with some of it changed.
    pub fn claims(&self, nonce: &str, changed: &Value) -> Value {
        let mut claims = json!({"iss": self.issuer, "aud": "gate", "sub": "person-1",
            "exp": NOW_S + 300, "nonce": nonce, "preferred_username": "Mona",
            "email": "mona@example.org", "email_verified": true});
        for (name, value) in changed.as_object().expect("an object") {
            claims[name] = value.clone();
        }
        claims
    }

    pub fn will_say(&self, nonce: &str, changed: &Value) {
        let token = self.key.sign(&self.claims(nonce, changed));
        *self.token.lock().expect("no panic") = token;
    }
}

fn serve(
    mut stream: TcpStream,
    issuer: &str,
    key: &Key,
    token: &Mutex<String>,
    forms: &Mutex<Vec<String>>,
) {
    let Some(asked) = Asked::read(&stream) else {
        return;
    };
    let document = match asked.path() {
        "/.well-known/openid-configuration" => json!({
            "issuer": issuer, "authorization_endpoint": format!("{issuer}/authorize"),
            "token_endpoint": format!("{issuer}/token/"), "jwks_uri": format!("{issuer}/keys")}),
        "/token/" => {
            let mut forms = forms.lock().expect("no panic");
            forms.push(format!("{}\n{}", asked.head.join("\n"), asked.body));
            json!({"id_token": *token.lock().expect("no panic"), "access_token": "x"})
        }
        _ => json!({"keys": [{"kty": "oct", "k": "AAAA", "kid": "k"}, key.public()]}),
    };
    answer(&mut stream, 200, &document);
}
