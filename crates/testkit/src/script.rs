//! Which reply a request gets: paths, and for each a fixed reply, a sequence or a function.

use crate::reply::Reply;
use crate::request::RecordedRequest;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

pub(crate) type Answer = Arc<dyn Fn(&RecordedRequest) -> Reply + Send + Sync>;

pub(crate) enum Script {
    /// One after the other; the last one repeats.
    Sequence(VecDeque<Reply>),
    Answer(Answer),
}

/// The scripts of one fake upstream; a later one for the same path replaces the earlier.
#[derive(Default)]
pub(crate) struct Scripts(Mutex<Vec<(String, Script)>>);

impl Scripts {
    pub(crate) fn set(&self, path: &str, script: Script) {
        let mut scripts = self.0.lock().expect("no holder of the lock panics");
        scripts.retain(|(known, _)| known != path);
        scripts.push((path.to_owned(), script));
    }

    /// The reply to a request. The longest matching path wins, so that a general `/v1/*` may stand
    /// beside a special case.
    pub(crate) fn reply_to(&self, request: &RecordedRequest) -> Reply {
        let mut scripts = self.0.lock().expect("no holder of the lock panics");
        let best = scripts
            .iter_mut()
            .filter(|(path, _)| matches(path, &request.path))
            .max_by_key(|(path, _)| path.len());
        let answer = match best {
            Some((_, Script::Sequence(replies))) => return next(replies),
            None => return unscripted(request),
            Some((_, Script::Answer(answer))) => Arc::clone(answer),
        };
        // The lock is let go first: the function belongs to the test and may script more replies.
        drop(scripts);
        answer(request)
    }
}

fn matches(pattern: &str, path: &str) -> bool {
    pattern
        .strip_suffix('*')
        .map_or(pattern == path, |prefix| path.starts_with(prefix))
}

fn next(replies: &mut VecDeque<Reply>) -> Reply {
    if replies.len() > 1 {
        replies.pop_front().expect("there is more than one")
    } else {
        replies.front().expect("a sequence is never empty").clone()
    }
}

fn unscripted(request: &RecordedRequest) -> Reply {
    let text = format!(
        "no reply is scripted for {} {}",
        request.method, request.path
    );
    Reply::json(&serde_json::json!({ "error": { "message": text } })).status(404)
}
