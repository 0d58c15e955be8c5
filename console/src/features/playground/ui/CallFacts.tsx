import { Anchor } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Money, Unknown } from "@/ui/Money";
import type { TokenUsage } from "../model/conversation";
import { type Call, callQuery } from "../send/api";
import classes from "./Message.module.css";
import { useNumbers } from "./numbers";

export interface CallFactsProps {
  requestId?: string | undefined;
  firstTokenMs?: number | undefined;
  totalMs?: number | undefined;
  /** As the reply counted; the ledger's count stands where there is one. */
  usage?: TokenUsage;
}

const LEAST_WRITING_MS = 100;

/** What is measured here, and what the ledger and the log say about the call. */
export function CallFacts({ requestId, firstTokenMs, totalMs, usage = {} }: CallFactsProps) {
  const { t } = useTranslation();
  const { seconds, count, decimal } = useNumbers();
  const { data: call } = useQuery({
    ...callQuery(requestId ?? ""),
    enabled: requestId !== undefined,
  });
  const counted = call === null || call === undefined ? usage : usageOf(call);
  const { input, cached, output, reasoning } = counted;
  const writingMs = (totalMs ?? 0) - (firstTokenMs ?? 0);
  // What comes at once has no speed that means anything.
  const speed =
    output !== undefined && writingMs > LEAST_WRITING_MS ? (output * 1_000) / writingMs : undefined;
  return (
    <>
      <dl className={classes.facts}>
        {firstTokenMs !== undefined && (
          <Fact name={t("playground.facts.first")}>{seconds(firstTokenMs)}</Fact>
        )}
        {totalMs !== undefined && (
          <Fact name={t("playground.facts.total")}>{seconds(totalMs)}</Fact>
        )}
        {firstTokenMs !== undefined && speed !== undefined && (
          <Fact name={t("playground.facts.speed")}>
            {t("playground.facts.perSecond", { shown: decimal(speed, speed < 10 ? 1 : 0) })}
          </Fact>
        )}
        {input !== undefined && <Fact name={t("playground.facts.input")}>{count(input)}</Fact>}
        {cached !== undefined && cached > 0 && (
          <Fact name={t("playground.facts.cached")}>{count(cached)}</Fact>
        )}
        {output !== undefined && <Fact name={t("playground.facts.output")}>{count(output)}</Fact>}
        {reasoning !== undefined && reasoning > 0 && (
          <Fact name={t("playground.facts.reasoning")}>{count(reasoning)}</Fact>
        )}
        {call?.usage.other.map(({ kind, units }) => (
          <Fact key={kind} name={kind}>
            {count(units)}
          </Fact>
        ))}
        <Fact name={t("playground.facts.charge")}>
          {call === null || call === undefined ? (
            <Unknown
              reason={t(call === null ? "playground.facts.noLog" : "playground.facts.waiting")}
            />
          ) : (
            <Money usd={call.charge_usd} />
          )}
        </Fact>
        {call !== null && call !== undefined && <Route call={call} />}
      </dl>
      {requestId !== undefined && (
        <Anchor component={Link} to={`/console/logs/${requestId}`} size="xs">
          {t("playground.facts.openLog")}
        </Anchor>
      )}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The channels that were tried; the last one served the call. */
function Route({ call }: { call: Call }) {
  const { t } = useTranslation();
  if (call.attempts.length === 0) {
    return null;
  }
  const tried = call.attempts.map(({ channel, channel_id, status, error }) => {
    const name = channel ?? `#${channel_id}`;
    return error === null && status !== null && status < 400
      ? name
      : `${name} (${status ?? error})`;
  });
  return (
    <Fact name={t("playground.facts.attempts", { count: call.attempts.length })}>
      {tried.join(" → ")}
    </Fact>
  );
}

/** The ledger counts cached input beside the rest; here the input is all of it. */
function usageOf({ usage }: Call): TokenUsage {
  return {
    input: usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens,
    cached: usage.cache_read_tokens,
    output: usage.output_tokens,
    reasoning: usage.reasoning_tokens,
  };
}
