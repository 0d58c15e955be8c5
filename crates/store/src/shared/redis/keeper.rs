//! The task that keeps the connection to Redis: connects, listens for change notices, checks
//! that both directions still work, and starts over when they do not.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use redis::aio::{MultiplexedConnection, PubSubSink, PubSubStream};
use redis::{AsyncConnectionConfig, RedisError};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use super::calls::{channel_name, parse_notice, publish_owed};
use super::link::Link;
use crate::shared::changes::Notice;

const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// Calls under way on the one connection; more wait, each within its own timeout.
const CALLS_UNDER_WAY: usize = 4_096;

/// The listening half of a connection; the calling half is in the link.
pub(super) struct Session {
    sink: PubSubSink,
    stream: PubSubStream,
}

/// The first attempt; `None` when Redis is away.
pub(super) async fn first_session(link: &Link) -> Option<Session> {
    match connect(link).await {
        Ok(session) => Some(session),
        Err(reason) => {
            tracing::warn!(%reason, "Redis cannot be reached; still trying");
            None
        }
    }
}

/// Serves and re-makes the connection until the task is aborted.
pub(super) async fn keep(link: Arc<Link>, mut session: Option<Session>) {
    let mut pause = SHORTEST_PAUSE;
    loop {
        if let Some(open) = session.take() {
            pause = SHORTEST_PAUSE;
            serve(&link, open).await;
            link.disconnected();
            tracing::warn!("the connection to Redis is lost; connecting again");
        }
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
        if let Ok(open) = connect(&link).await {
            tracing::info!("connected to Redis");
            // Nobody listening is fine: there is then nothing to reload.
            let _ = link.notices().send(Notice::Missed);
            session = Some(open);
        }
    }
}

/// Connects both halves. The subscription comes first: what is published from then on arrives,
/// what was published before is covered by the reload that follows.
async fn connect(link: &Link) -> Result<Session, String> {
    let limit = link.options().connect_timeout;
    let attempt = timeout(limit, async {
        let (mut sink, stream) = link.client().get_async_pubsub().await?.split();
        sink.subscribe(channel_name(link.options())).await?;
        let connection = open_connection(link).await?;
        Ok::<_, RedisError>((Session { sink, stream }, connection))
    });
    match attempt.await {
        Ok(Ok((session, connection))) => {
            link.connected(connection);
            Ok(session)
        }
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("no answer in time".to_owned()),
    }
}

async fn open_connection(link: &Link) -> Result<MultiplexedConnection, RedisError> {
    let config = AsyncConnectionConfig::new()
        .set_connection_timeout(Some(link.options().connect_timeout))
        .set_response_timeout(Some(link.options().response_timeout))
        .set_concurrency_limit(CALLS_UNDER_WAY);
    let mut connection = link
        .client()
        .get_multiplexed_async_connection_with_config(&config)
        .await?;
    redis::cmd("PING")
        .query_async::<()>(&mut connection)
        .await?;
    Ok(connection)
}

/// Passes notices on until something breaks.
async fn serve(link: &Link, session: Session) {
    let Session {
        mut sink,
        mut stream,
    } = session;
    let mut checks = interval(link.options().check_every);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            message = stream.next() => match message {
                Some(message) => {
                    if let Some(notice) = parse_notice(link.options(), message.get_payload_bytes()) {
                        let _ = link.notices().send(notice);
                    }
                }
                None => return,
            },
            () = link.lost() => return,
            _ = checks.tick() => {
                if !is_alive(link, &mut sink).await {
                    return;
                }
                publish_owed(link).await;
            }
        }
    }
}

async fn is_alive(link: &Link, sink: &mut PubSubSink) -> bool {
    let listening = timeout(link.options().connect_timeout, sink.ping::<redis::Value>()).await;
    if !matches!(listening, Ok(Ok(_))) {
        return false;
    }
    let calling = link.call(|mut connection| async move {
        redis::cmd("PING")
            .query_async::<redis::Value>(&mut connection)
            .await
    });
    calling.await.is_ok()
}
