//! One route of the management interface: where it is, who may call it, what it takes and gives.
//! The router, the access check and the OpenAPI document are made from it.

use std::sync::Arc;

use axum::handler::Handler;
use axum::routing::{MethodFilter, MethodRouter, on};
use http::Method;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use store::users::Role;

use super::scopes::AccessScope;
use crate::app::App;

/// Who may call a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Anyone.
    None,
    /// Whoever has an account.
    User,
    /// Administrators and root.
    Administrator,
    /// Root alone.
    Root,
}

impl Level {
    /// The least role that is enough; none where nobody needs to be logged in.
    pub fn role(self) -> Option<Role> {
        match self {
            Self::None => None,
            Self::User => Some(Role::User),
            Self::Administrator => Some(Role::Administrator),
            Self::Root => Some(Role::Root),
        }
    }
}

/// Makes a schema, and the schemas it refers to, in a generator.
pub(super) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// What a route answers when it works.
pub(super) enum Gives {
    /// The envelope with this data.
    Data(SchemaOf),
    /// Something else than JSON.
    Media(&'static str),
    /// Events with this data.
    Events(SchemaOf),
    /// A redirect of a browser.
    Redirect,
}

/// A route.
#[expect(
    clippy::struct_excessive_bools,
    reason = "properties that the gate reads one by one"
)]
pub struct Route {
    pub(super) method: Method,
    pub(super) path: &'static str,
    pub(super) level: Level,
    pub(super) handler: MethodRouter<Arc<App>>,
    pub(super) about: &'static str,
    pub(super) details: &'static str,
    pub(super) body: Option<SchemaOf>,
    pub(super) raw_body: bool,
    pub(super) queries: Vec<SchemaOf>,
    pub(super) gives: Gives,
    pub(super) scope: AccessScope,
    pub(super) is_session_only: bool,
    pub(super) needs_step_up: bool,
    pub(super) is_from_anywhere: bool,
}

impl Route {
    fn new<H, T>(
        method: Method,
        filter: MethodFilter,
        path: &'static str,
        level: Level,
        handler: H,
    ) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        let scope = match method {
            Method::GET => AccessScope::Read,
            _ => AccessScope::Write,
        };
        Self {
            method,
            path,
            level,
            handler: on(filter, handler),
            about: "",
            details: "",
            body: None,
            raw_body: false,
            queries: Vec::new(),
            gives: Gives::Data(schema_of::<()>),
            scope,
            is_session_only: false,
            needs_step_up: false,
            is_from_anywhere: false,
        }
    }

    /// A route that reads. Every path works with and without the slash at its end; write it with one
    /// where the contract does.
    pub fn get<H, T>(path: &'static str, level: Level, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        Self::new(Method::GET, MethodFilter::GET, path, level, handler)
    }

    /// A route that creates or acts.
    pub fn post<H, T>(path: &'static str, level: Level, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        Self::new(Method::POST, MethodFilter::POST, path, level, handler)
    }

    /// A route that changes.
    pub fn put<H, T>(path: &'static str, level: Level, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        Self::new(Method::PUT, MethodFilter::PUT, path, level, handler)
    }

    /// A route that deletes.
    pub fn delete<H, T>(path: &'static str, level: Level, handler: H) -> Self
    where
        H: Handler<T, Arc<App>>,
        T: 'static,
    {
        Self::new(Method::DELETE, MethodFilter::DELETE, path, level, handler)
    }

    /// What it does, in one line without a full stop.
    #[must_use]
    pub fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    /// What else a caller must know.
    #[must_use]
    pub fn details(mut self, details: &'static str) -> Self {
        self.details = details;
        self
    }

    /// The JSON body that it takes through `Input<T>`.
    #[must_use]
    pub fn takes<T: JsonSchema>(mut self) -> Self {
        self.body = Some(schema_of::<T>);
        self
    }

    /// A body that the handler reads as raw bytes.
    #[must_use]
    pub fn takes_bytes(mut self) -> Self {
        self.raw_body = true;
        self
    }

    /// Query parameters that it takes through `Search<T>`; several types add up.
    #[must_use]
    pub fn searches<T: JsonSchema>(mut self) -> Self {
        self.queries.push(schema_of::<T>);
        self
    }

    /// The `data` of its reply; without this call it is `null`.
    #[must_use]
    pub fn gives<T: JsonSchema>(mut self) -> Self {
        self.gives = Gives::Data(schema_of::<T>);
        self
    }

    /// Replies with this media type, or one of several with commas between them, in place of the
    /// envelope.
    #[must_use]
    pub fn gives_media(mut self, media_type: &'static str) -> Self {
        self.gives = Gives::Media(media_type);
        self
    }

    /// Replies with a stream of events that have this data.
    #[must_use]
    pub fn gives_events<T: JsonSchema>(mut self) -> Self {
        self.gives = Gives::Events(schema_of::<T>);
        self
    }

    /// Replies by sending a browser elsewhere.
    #[must_use]
    pub fn redirects(mut self) -> Self {
        self.gives = Gives::Redirect;
        self
    }

    /// Refuses personal access tokens: what changes how one logs in takes a login session.
    #[must_use]
    pub fn session_only(mut self) -> Self {
        self.is_session_only = true;
        self
    }

    /// Takes a login session whose person has just proved who they are; an access token is not enough.
    #[must_use]
    pub fn step_up(mut self) -> Self {
        self.needs_step_up = true;
        self
    }

    /// Moves money: an access token needs the scope `billing`.
    #[must_use]
    pub fn moves_money(mut self) -> Self {
        self.scope = AccessScope::Billing;
        self
    }

    /// Takes calls that pages of other sites make; only for calls that carry their own proof, such
    /// as signed webhooks.
    #[must_use]
    pub fn from_anywhere(mut self) -> Self {
        self.is_from_anywhere = true;
        self
    }
}

impl Route {
    /// Its method.
    pub fn method(&self) -> &Method {
        &self.method
    }

    /// Its path as the contract writes it.
    pub fn path(&self) -> &'static str {
        self.path
    }

    /// Who may call it.
    pub fn level(&self) -> Level {
        self.level
    }

    /// The scope that an access token needs.
    pub fn scope(&self) -> AccessScope {
        self.scope
    }

    /// Whether it takes a login session.
    pub fn is_session_only(&self) -> bool {
        self.is_session_only || self.needs_step_up
    }

    /// Whether the whole route needs a step-up.
    pub fn needs_step_up(&self) -> bool {
        self.needs_step_up
    }
}
