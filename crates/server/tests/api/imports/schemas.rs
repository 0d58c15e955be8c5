//! The tables of one-api and new-api as `docs/migrating.md` writes them down: names of columns, by
//! table. Types do not matter to the importer, which reads everything as text.

/// Tables, each with its columns.
pub type Schema = &'static [(&'static str, &'static str)];

/// one-api.
pub const ONE_API: Schema = &[
    (
        "users",
        "id username password display_name role status email github_id wechat_id lark_id \
         oidc_id access_token quota used_quota request_count group aff_code inviter_id",
    ),
    (
        "tokens",
        "id user_id key status name created_time accessed_time expired_time remain_quota \
         unlimited_quota used_quota models subnet",
    ),
    (
        "channels",
        "id type key status name weight created_time test_time response_time base_url \
         other balance balance_updated_time models group used_quota model_mapping \
         priority config system_prompt",
    ),
    (
        "redemptions",
        "id user_id key status name quota created_time redeemed_time",
    ),
    ("options", "key value"),
    ("abilities", "group model channel_id enabled priority"),
    ("logs", "id user_id created_at type content"),
];

/// new-api.
pub const NEW_API: Schema = &[
    (
        "users",
        "id username password display_name role status email github_id discord_id oidc_id \
         wechat_id telegram_id access_token quota used_quota request_count group aff_code \
         aff_count aff_quota aff_history inviter_id deleted_at linux_do_id setting remark \
         stripe_customer created_at last_login_at",
    ),
    (
        "tokens",
        "id user_id key status name created_time accessed_time expired_time remain_quota \
         unlimited_quota model_limits_enabled model_limits allow_ips used_quota group \
         cross_group_retry deleted_at",
    ),
    (
        "channels",
        "id type key openai_organization test_model status name weight created_time \
         test_time response_time base_url other balance balance_updated_time models group \
         used_quota model_mapping status_code_mapping priority auto_ban other_info tag \
         setting param_override header_override remark channel_info settings",
    ),
    (
        "redemptions",
        "id user_id key status name quota created_time redeemed_time used_user_id \
         deleted_at expired_time",
    ),
    ("options", "key value"),
    (
        "abilities",
        "group model channel_id enabled priority weight tag",
    ),
    ("logs", "id user_id created_at type content"),
    ("two_fas", "id user_id secret is_enabled"),
];
