//! Made-up rows for the tables of the other gateways.

use super::schemas::{NEW_API, ONE_API, Schema};

/// The password of the imported alice.
pub const PASSWORD: &str = "alice's password";
/// Keys of tokens as the databases hold them: without the prefix.
pub const UNLIMITED: &str = "AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKl";
pub const LIMITED: &str = "ZyXwVuTsRqPoNmLkJiHgFeDcBa9876543210ZyXwVuTsRqPo";
pub const DELETED: &str = "000000000000000000000000000000000000000000000000";
/// A redemption code that nobody redeemed.
pub const CODE: &str = "d41d8cd98f00b204e9800998ecf8427e";

/// A row a line: the table, then what some of its columns hold; the others are NULL. `HASH` stands
/// for a hash of alice's password, `¶` for the end of a line.
const BOTH: &str = r#"
users | id=1 | username=root | password=HASH | role=100 | status=1 | quota=0 | group=default | aff_code=r00t
users | id=2 | username=alice | password=HASH | role=1 | status=1 | email=Alice@example.org | display_name=Alice ;') \ ¶! | quota=1000000 | used_quota=250000 | request_count=17 | group=default | aff_code=al1C | github_id=alice-hub
users | id=3 | username=bob | password=plain text | role=10 | status=2 | quota=-500 | group=vip | aff_code=b0b0 | inviter_id=2
tokens | id=1 | user_id=2 | key=UNLIMITED | status=1 | name=everything | created_time=1700000000 | expired_time=-1 | unlimited_quota=1 | remain_quota=0 | used_quota=250000
tokens | id=3 | user_id=2 | key=expired-expired-expired | status=3 | name=over | expired_time=1700000001 | unlimited_quota=1 | remain_quota=0
tokens | id=4 | user_id=4 | key=DELETED | status=1 | name=of nobody | expired_time=-1 | unlimited_quota=1 | remain_quota=0
channels | id=1 | type=1 | key=sk-one¶sk-two | status=1 | name=main | weight=0 | base_url=https://proxy.example.com/ | models=gpt-4o,gpt-4o-mini,fast | group=default,vip | priority=5 | model_mapping={"fast":"gpt-4o-mini"}
channels | id=2 | type=3 | key=azure-key | status=2 | name=main | base_url=https://eu.openai.azure.com | other=2024-10-21 | models=gpt-4o | group=default
channels | id=3 | type=18 | key=x | status=1 | name=unknown | models=spark | group=default
redemptions | id=1 | key=CODE | status=1 | name=gift | quota=500000 | created_time=1700000000
redemptions | id=2 | key=ffffffffffffffffffffffffffffffff | status=3 | name=gift | quota=500000
options | key=GroupRatio | value={"default":1,"vip":0.8,"svip":1.5}
options | key=ModelRatio | value={"gpt-4o":1.25,"gpt-4o-mini":0.075,"nobody-serves-it":7}
options | key=CompletionRatio | value={"gpt-4o":4}
options | key=SMTPToken | value=a-secret-of-the-source
logs | id=1 | user_id=2 | content=it's history; not wanted
"#;

const ONE_API_ROWS: &str = "
users | id=4 | username=deleted_x | password=HASH | role=1 | status=3 | quota=5 | group=default
tokens | id=2 | user_id=2 | key=LIMITED | status=1 | name=little | expired_time=-1 | unlimited_quota=0 | remain_quota=100 | used_quota=400 | models=demo-chat,gpt-4o | subnet=127.0.0.0/8,::1
";

const NEW_API_ROWS: &str = r#"
users | id=4 | username=gone | password=HASH | role=1 | status=1 | quota=5 | group=default | deleted_at=2025-01-02 03:04:05
tokens | id=2 | user_id=2 | key=LIMITED | status=1 | name=little | expired_time=-1 | unlimited_quota=0 | remain_quota=100 | used_quota=400 | model_limits_enabled=1 | model_limits=demo-chat,gpt-4o | allow_ips=127.0.0.1¶10.0.0.0/8 | group=auto
options | key=UserUsableGroups | value={"default":"everybody","svip":"fast lane","auto":"any"}
options | key=CacheRatio | value={"gpt-4o":0.5}
options | key=ModelPrice | value={"fast":0.04}
two_fas | id=1 | user_id=2 | secret=s | is_enabled=1
"#;

/// A row: a table, and what some of its columns hold.
pub type Row = (String, Vec<(String, String)>);

/// A database of another gateway.
pub struct Foreign {
    pub schema: Schema,
    pub rows: Vec<Row>,
}

impl Foreign {
    /// A database of one-api.
    pub fn one_api() -> Self {
        Self::new(ONE_API, &[BOTH, ONE_API_ROWS])
    }

    /// A database of new-api.
    pub fn new_api() -> Self {
        let earnings = BOTH.replace("username=alice", "username=alice | aff_quota=5000");
        Self::new(NEW_API, &[&earnings, NEW_API_ROWS])
    }

    fn new(schema: Schema, texts: &[&str]) -> Self {
        let empty = Self {
            schema,
            rows: Vec::new(),
        };
        let lines = texts.iter().flat_map(|text| text.lines());
        let lines = lines.filter(|line| !line.is_empty());
        lines.fold(empty, Self::with)
    }

    /// Adds a row.
    pub fn with(mut self, line: &str) -> Self {
        let hash = bcrypt::hash(PASSWORD, 4).expect("a hash");
        let mut parts = line.split(" | ");
        let table = parts.next().expect("a table").to_owned();
        let cells = parts.map(|part| {
            let (name, text) = part.split_once('=').expect("a cell");
            let text = match text {
                "HASH" => &hash,
                "UNLIMITED" => UNLIMITED,
                "LIMITED" => LIMITED,
                "DELETED" => DELETED,
                "CODE" => CODE,
                other => other,
            };
            (name.to_owned(), text.replace('¶', "\n"))
        });
        self.rows.push((table, cells.collect()));
        self
    }
}
