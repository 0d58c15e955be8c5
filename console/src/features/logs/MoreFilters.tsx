import { Select, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import {
  type Choice,
  channelChoicesQuery,
  keyChoicesQuery,
  type Scope,
  userChoicesQuery,
} from "./api";
import { CommitInput } from "./CommitInput";
import type { LogsSearch } from "./search";

export interface MoreFiltersProps {
  search: LogsSearch;
  scope: Scope;
  onChange: (patch: { [K in keyof LogsSearch]?: LogsSearch[K] | undefined }) => void;
}

/** Short stable words for what went wrong, as the log writes them. */
const CAUSES = [
  "invalid_request",
  "unsupported",
  "context_length_exceeded",
  "content_policy_violation",
  "insufficient_quota",
  "permission_denied",
  "model_not_found",
  "request_too_large",
  "rate_limit_exceeded",
  "internal_error",
  "bad_upstream_response",
  "overloaded",
  "upstream_timeout",
];

/** The filters that are needed now and then. */
export function MoreFilters({ search, scope, onChange }: MoreFiltersProps) {
  const { t } = useTranslation();
  return (
    <>
      <Records search={search} scope={scope} onChange={onChange} />
      <CommitInput
        label={t("logs.served")}
        value={search.upstream_model}
        onCommit={(upstream_model) => onChange({ upstream_model })}
      />
      <CommitInput
        label={t("logs.exactStatus")}
        inputMode="numeric"
        placeholder="429"
        value={search.status?.toString()}
        onCommit={(value) => onChange({ status: wholeNumber(value) })}
      />
      <CommitInput
        label={t("logs.endpoint")}
        placeholder="/v1/messages"
        value={search.endpoint}
        onCommit={(endpoint) => onChange({ endpoint })}
      />
      <Select
        label={t("logs.cause")}
        searchable
        clearable
        data={CAUSES}
        value={search.error_cause ?? null}
        onChange={(cause) => onChange({ error_cause: cause ?? undefined })}
      />
      <Select
        label={t("logs.source")}
        clearable
        data={[
          { value: "api", label: t("logs.api") },
          { value: "playground", label: t("logs.playground") },
        ]}
        value={search.source ?? null}
        onChange={(source) => onChange({ source: source ?? undefined })}
      />
      <Select
        label={t("logs.streaming")}
        clearable
        data={[
          { value: "true", label: t("logs.streamed") },
          { value: "false", label: t("logs.whole") },
        ]}
        value={search.stream ?? null}
        onChange={(value) => onChange({ stream: (value ?? undefined) as LogsSearch["stream"] })}
      />
      <CommitInput
        label={t("logs.minCharge")}
        inputMode="decimal"
        value={search.min_charge_usd}
        onCommit={(min_charge_usd) => onChange({ min_charge_usd })}
      />
      <CommitInput
        label={t("logs.minTotal")}
        inputMode="numeric"
        value={search.min_total_ms?.toString()}
        onCommit={(value) => onChange({ min_total_ms: wholeNumber(value) })}
      />
      <CommitInput label={t("logs.ip")} value={search.ip} onCommit={(ip) => onChange({ ip })} />
      <Moment label={t("logs.from")} value={search.from} onChange={(from) => onChange({ from })} />
      <Moment label={t("logs.to")} value={search.to} onChange={(to) => onChange({ to })} />
    </>
  );
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Whose, with which key, through which channel. */
function Records({ search, scope, onChange }: MoreFiltersProps) {
  const { t } = useTranslation();
  const isAll = scope === "all";
  const keys = useQuery(keyChoicesQuery(scope));
  const users = useQuery({ ...userChoicesQuery, enabled: isAll });
  const channels = useQuery({ ...channelChoicesQuery, enabled: isAll });
  return (
    <>
      <RecordSelect
        label={t("logs.key")}
        choices={keys.data}
        value={search.token_id}
        onChange={(token_id) => onChange({ token_id })}
      />
      {isAll && (
        <>
          <RecordSelect
            label={t("logs.user")}
            choices={users.data}
            value={search.user_id}
            onChange={(user_id) => onChange({ user_id })}
          />
          <RecordSelect
            label={t("logs.channel")}
            choices={channels.data}
            value={search.channel_id}
            onChange={(channel_id) => onChange({ channel_id })}
          />
        </>
      )}
    </>
  );
}

interface RecordSelectProps {
  label: string;
  choices: readonly Choice[] | undefined;
  value: number | undefined;
  onChange: (id: number | undefined) => void;
}

/** Records by name; one that is not among the first hundred keeps its number. */
function RecordSelect({ label, choices = [], value, onChange }: RecordSelectProps) {
  const chosen = value === undefined ? null : String(value);
  const isListed = chosen === null || choices.some((choice) => choice.value === chosen);
  return (
    <Select
      label={label}
      searchable
      clearable
      data={isListed ? [...choices] : [...choices, { value: chosen, label: `#${chosen}` }]}
      value={chosen}
      onChange={(id) => onChange(id === null ? undefined : Number(id))}
    />
  );
}

interface MomentProps {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}

/** Local date and time in the field, UTC in the address. */
function Moment({ label, value, onChange }: MomentProps) {
  const at = value === undefined ? undefined : new Date(value);
  const isRight = at !== undefined && !Number.isNaN(at.getTime());
  const local = isRight ? new Date(at.getTime() - at.getTimezoneOffset() * 60_000) : undefined;
  return (
    <TextInput
      type="datetime-local"
      step={1}
      label={label}
      value={local?.toISOString().slice(0, 19) ?? ""}
      onChange={(event) => {
        const typed = event.currentTarget.value;
        onChange(typed === "" ? undefined : new Date(typed).toISOString());
      }}
    />
  );
}
