import { useEffect, useMemo, useRef } from "react";
import { useAttachments } from "../hooks/useAttachments";
import { useConversation } from "../hooks/useConversation";
import { useCurrentThread } from "../hooks/useCurrentThread";
import { useDraft } from "../hooks/useDraft";
import type { ChangeSettings } from "../hooks/useSettings";
import { newId, type Part, type Turn } from "../model/conversation";
import { blockOf, estimate, type ModelInfo, modelsFor, textsOf } from "../model/models";
import type { Settings } from "../model/settings";
import { type CallInput, conversationInput } from "../request/prepare";
import type { ThreadStore } from "../threads/store";
import { newThread } from "../threads/thread";
import { Announcer } from "./Announcer";
import { Composer } from "./Composer";
import { MessageList } from "./MessageList";
import { Starters } from "./Starters";

export interface ChatSurfaceProps {
  settings: Settings;
  models: readonly ModelInfo[];
  areModelsKnown: boolean;
  threadId: string | undefined;
  store: ThreadStore;
  blocked: string | undefined;
  onSettings: ChangeSettings;
  onThread: (id: string) => void;
  /** Told what the next call, or the last one, is about. */
  onInput: (input: CallInput) => void;
  onOtherModel: () => void;
}

/** A conversation and the place to go on with it. */
export function ChatSurface(props: ChatSurfaceProps) {
  const { settings, models, threadId, store } = props;
  const composer = useRef<HTMLTextAreaElement>(null);
  const save = useRef<(turns: Turn[], settings: Settings) => void>(() => undefined);
  const onSettled = useMemo(() => (turns: Turn[], used: Settings) => save.current(turns, used), []);
  const conversation = useConversation(onSettled);
  const thread = useCurrentThread(
    threadId,
    store,
    (loaded) => conversation.replace(loaded?.turns ?? []),
    props.onThread,
  );
  save.current = thread.save;

  const [draft, setDraft] = useDraft(threadId ?? "new");
  const model = models.find(({ name }) => name === settings.model);
  const attachments = useAttachments(settings.endpoint, model, settings.model);
  const { turns, live } = conversation;
  const next = useNextInput(turns, draft, attachments.media, props.onInput);
  const others = modelsFor(models, settings.endpoint).filter(
    (other) => blockOf(other) === undefined && other.name !== settings.model,
  );

  const send = () => {
    const parts = partsOf(draft, attachments.media);
    setDraft("");
    attachments.clear();
    void conversation.send(parts, settings);
  };
  const branch = async (upTo: Turn[]) => {
    const made = newThread(settings, upTo);
    await store.put(made);
    thread.show(made.id);
    conversation.replace(upTo);
    props.onThread(made.id);
  };
  const isEmpty = turns.length === 0 && live === undefined;
  const { maxTokens } = settings.parameters;
  return (
    <>
      {isEmpty ? (
        <Starters
          hasModel={settings.model !== "" || !props.areModelsKnown}
          onStart={(text) => {
            setDraft(text);
            composer.current?.focus();
          }}
        />
      ) : (
        <MessageList
          conversation={conversation}
          settings={settings}
          otherModels={others.map(({ name }) => name)}
          onModel={(name) => props.onSettings({ model: name })}
          onBranch={(upTo) => void branch(upTo)}
          onOtherModel={props.onOtherModel}
        />
      )}
      <Announcer isRunning={live !== undefined} last={turns.at(-1)} />
      <Composer
        text={draft}
        onText={setDraft}
        attachments={attachments}
        isRunning={live !== undefined}
        blocked={props.blocked}
        estimate={
          draft.trim() === ""
            ? undefined
            : estimate(
                textsOf(next, settings.system),
                model,
                maxTokens?.send === true ? Number(maxTokens.value) : undefined,
              )
        }
        onSend={send}
        onStop={conversation.stop}
        inputRef={composer}
      />
    </>
  );
}

function partsOf(text: string, media: Parameters<typeof useNextInput>[2]): Part[] {
  const said: Part[] = text.trim() === "" ? [] : [{ type: "text", text }];
  return [...said, ...media.map((each): Part => ({ type: "media", media: each }))];
}

/** What the code panel shows: the call that sending now would make, or the last one made. */
function useNextInput(
  turns: readonly Turn[],
  draft: string,
  media: readonly Extract<Part, { type: "media" }>["media"][],
  onInput: (input: CallInput) => void,
): readonly Turn[] {
  const next = useMemo(() => {
    const parts = partsOf(draft, media);
    if (parts.length > 0) {
      return [...turns, { id: newId(), role: "user" as const, parts }];
    }
    const last = turns.findLastIndex(({ role }) => role === "user");
    return turns.slice(0, last + 1);
  }, [turns, draft, media]);
  const told = useRef(onInput);
  told.current = onInput;
  useEffect(() => told.current(conversationInput(next)), [next]);
  return next;
}
