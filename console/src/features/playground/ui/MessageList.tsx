import { useEffect, useMemo, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Conversation } from "../hooks/useConversation";
import { callsOf, type Part, type Turn } from "../model/conversation";
import type { Settings } from "../model/settings";
import { LiveMessage } from "./LiveMessage";
import { Message } from "./Message";
import classes from "./Playground.module.css";

export interface MessageListProps {
  conversation: Conversation;
  settings: Settings;
  /** Models that a reply can be asked for again. */
  otherModels: readonly string[];
  onModel: (model: string) => void;
  /** What this conversation is called, where there are several. */
  label?: string;
  onBranch?: ((turns: Turn[]) => void) | undefined;
  onOtherModel?: (() => void) | undefined;
}

/** The conversation; it follows its end unless the reader has scrolled away from it. */
export function MessageList(props: MessageListProps) {
  const { conversation, settings } = props;
  const { t } = useTranslation();
  const region = useFollowing();
  const { turns, live } = conversation;
  const [gathered, answer] = useToolAnswers(conversation, settings);
  const results = useMemo(() => resultsOf(turns, gathered), [turns, gathered]);
  return (
    <section
      className={classes.messages}
      ref={region}
      aria-label={props.label ?? t("playground.messages")}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <div className={classes.column}>
        {turns.filter(isShown).map((turn) => (
          <Message
            key={turn.id}
            turn={turn}
            raw={conversation.rawEvents.get(turn.id)}
            results={results}
            onResult={live === undefined && turn === turns.at(-1) ? answer : undefined}
            onEdited={
              turn.role === "user"
                ? (parts) => void conversation.resend(turn.id, settings, parts)
                : undefined
            }
            onOtherModel={props.onOtherModel}
            deeds={deedsOf(turn, props)}
          />
        ))}
        {live !== undefined && <LiveMessage live={live} model={settings.model} />}
      </div>
    </section>
  );
}

function deedsOf(
  turn: Turn,
  { conversation, settings, otherModels, onModel, onBranch }: MessageListProps,
) {
  const { turns } = conversation;
  const upTo = turns.slice(0, turns.indexOf(turn) + 1);
  return {
    onAgain: () => void conversation.resend(turn.id, settings),
    onBranch: onBranch === undefined ? undefined : () => onBranch(upTo),
    onRemove: () => conversation.remove(turn.id, settings),
    otherModels: turn.role === "assistant" ? otherModels : [],
    onAgainWith: (model: string) => {
      onModel(model);
      void conversation.resend(turn.id, { ...settings, model });
    },
  };
}

/** Results are shown with the calls that they answer. */
function isShown({ parts }: Turn): boolean {
  return parts.length === 0 || parts.some(({ type }) => type !== "result");
}

function resultsOf(turns: readonly Turn[], gathered: readonly Part[]): Map<string, string> {
  const parts = [...turns.flatMap((turn) => turn.parts), ...gathered];
  return new Map(
    parts.flatMap((part): [string, string][] =>
      part.type === "result" ? [[part.callId, part.text]] : [],
    ),
  );
}

type AnswerTool = (callId: string, name: string, text: string) => void;

/** Gathers results; once every call of the last reply has one, the conversation goes on. */
function useToolAnswers(conversation: Conversation, settings: Settings): [Part[], AnswerTool] {
  const [gathered, setGathered] = useState<Part[]>([]);
  const last = conversation.turns.at(-1);
  const answer: AnswerTool = (callId, name, text) => {
    const parts: Part[] = [...gathered, { type: "result", callId, name, text }];
    const answered = new Set(parts.map((part) => (part.type === "result" ? part.callId : "")));
    const isComplete = last === undefined || callsOf(last).every(({ id }) => answered.has(id));
    setGathered(isComplete ? [] : parts);
    if (isComplete) {
      void conversation.send(parts, settings);
    }
  };
  return [gathered, answer];
}

const NEAR_END_PX = 80;

function useFollowing() {
  const region = useRef<HTMLElement>(null);
  useEffect(() => {
    const element = region.current;
    const content = element?.firstElementChild;
    if (element === null || content === null || content === undefined) {
      return undefined;
    }
    let isFollowing = true;
    const onScroll = () => {
      isFollowing = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_END_PX;
    };
    const observer = new ResizeObserver(() => {
      if (isFollowing) {
        element.scrollTop = element.scrollHeight;
      }
    });
    element.addEventListener("scroll", onScroll, { passive: true });
    observer.observe(content);
    return () => {
      element.removeEventListener("scroll", onScroll);
      observer.disconnect();
    };
  }, []);
  return region;
}
