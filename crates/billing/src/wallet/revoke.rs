//! Taking back what nodes hold of a wallet and no call has reserved: after a balance or a budget was lowered, and
//! where a wallet is near its end.

use std::time::Duration;

use store::{StoreError, UserId, leases};
use tokio::time::{sleep, timeout};

use super::inner::{Inner, Wallets};

/// How long other nodes are waited for after a balance or a budget was lowered.
const REVOKED_WITHIN: Duration = Duration::from_secs(1);
/// The pause between two looks whether they answered.
const PAUSE: Duration = Duration::from_millis(20);

impl Wallets {
    /// Takes back what all nodes hold of a user's wallet and no call has reserved. This node gives it back at once;
    /// other nodes are waited for, for one second at most. The lease of a node that does not answer ends by itself.
    pub async fn revoke(&self, user: UserId) -> store::Result<()> {
        let inner = &self.inner;
        if inner.recall(user, "").await? == 0 {
            return Ok(());
        }
        inner.answer_all_recalls().await?;
        inner.wait_for_answers(user, "", REVOKED_WITHIN).await
    }
}

impl Inner {
    /// Asks all nodes but one (none: the empty name) for what they do not need of a wallet, and returns how many
    /// leases that concerns.
    pub(super) async fn recall(&self, user: UserId, except_node: &str) -> store::Result<u64> {
        let transaction = self.write().await?;
        let asked = leases::recall(&transaction, user, except_node, self.now()).await?;
        transaction.commit().await?;
        Ok(asked)
    }

    /// Waits until all that were asked have answered, but not longer than `most`. One that was asked long ago and did
    /// not answer is not waited for again: it is dead or slow, and its lease will expire.
    pub(super) async fn wait_for_answers(
        &self,
        user: UserId,
        except_node: &str,
        most: Duration,
    ) -> store::Result<()> {
        let patience_ms = i64::try_from(self.settings.patience.as_millis()).unwrap_or(0);
        let asked_since = self.now().saturating_sub(patience_ms);
        let waiting = async {
            let records = self.store.read();
            while leases::is_recall_open(records, user, except_node, asked_since).await? {
                sleep(PAUSE).await;
            }
            Ok::<_, StoreError>(())
        };
        timeout(most, waiting).await.unwrap_or(Ok(()))
    }
}
