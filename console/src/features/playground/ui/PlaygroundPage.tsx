import { VisuallyHidden } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSession } from "@/session/session";
import { useUrlState } from "@/ui/useUrlState";
import { useBlocked } from "../hooks/useBlocked";
import { useSettings } from "../hooks/useSettings";
import { useThreads } from "../hooks/useThreads";
import { type PlaygroundSearch, searchOfSettings } from "../model/address";
import { endpoint } from "../model/endpoints";
import { chosenModel } from "../model/models";
import { ANY_CHANNEL } from "../model/settings";
import { type CallInput, NO_INPUT, prepare } from "../request/prepare";
import { modelsQuery } from "../send/api";
import { ChatSurface } from "./ChatSurface";
import { ChosenChannel } from "./ChosenChannel";
import classes from "./Playground.module.css";
import { SettingsPanel } from "./SettingsPanel";
import { SidePanel } from "./SidePanel";
import { ThreadsPanel } from "./ThreadsPanel";
import { TopBar } from "./TopBar";

const CodeDrawer = lazy(() => import("./CodeDrawer"));
const Surface = lazy(() => import("../surfaces/Surface"));

/** The page: threads, the endpoint's surface, settings, and the code that does the same. */
export function PlaygroundPage() {
  const { t } = useTranslation();
  const { user, isAdministrator } = useSession();
  const [search, setSearch] = useUrlState<PlaygroundSearch>();
  const [raw, change] = useSettings(search, setSearch);
  // Somebody else's link may name a channel; only administrators choose one.
  const channel = isAdministrator ? raw.channel : ANY_CHANNEL;
  const { data: models = [], isSuccess } = useQuery(modelsQuery(channel));
  const settings = { ...raw, channel, model: chosenModel(models, raw.endpoint, raw.model) };
  const [threads, store] = useThreads(user.id);
  const [input, setInput] = useState<CallInput>(NO_INPUT);
  const [conversationInput, setConversationInput] = useState<CallInput>(NO_INPUT);
  const blocked = useBlocked(settings);
  const panels = usePanels();
  const modelRef = useRef<HTMLInputElement>(null);
  useTitle(t("playground.title"));

  const { surface } = endpoint(settings.endpoint);
  const shownInput = surface === "chat" ? conversationInput : input;
  const request = prepare(settings, shownInput);
  const openThread = useCallback(
    async (id: string) => {
      const thread = await store.get(id);
      if (thread !== undefined) {
        setSearch({ ...searchOfSettings(thread.settings), thread: id }, { push: true });
      }
    },
    [store, setSearch],
  );
  return (
    <div
      className={classes.page}
      data-fills-frame
      data-threads={panels.threads.isInline}
      data-panel={panels.panel.isInline}
    >
      <VisuallyHidden component="h1">{t("playground.title")}</VisuallyHidden>
      <SidePanel {...panels.threads} side="start" title={t("playground.threads.title")}>
        <ThreadsPanel
          threads={threads}
          store={store}
          activeId={search.thread}
          onNew={() => setSearch({ thread: undefined }, { push: true })}
          onOpen={(id) => void openThread(id)}
        />
      </SidePanel>
      <div className={classes.centre}>
        <TopBar
          settings={settings}
          models={models}
          onChange={change}
          modelRef={modelRef}
          areThreadsOpen={panels.threads.isOpen}
          isPanelOpen={panels.panel.isOpen}
          onThreads={panels.threads.onToggle}
          onPanel={panels.panel.onToggle}
          onCode={() => setSearch({ code: true }, { push: true })}
        />
        {channel !== ANY_CHANNEL && (
          <ChosenChannel id={channel} onClear={() => change({ channel: ANY_CHANNEL })} />
        )}
        {surface === "chat" ? (
          <ChatSurface
            settings={settings}
            models={models}
            areModelsKnown={isSuccess}
            threadId={search.thread}
            store={store}
            blocked={blocked}
            onSettings={change}
            onThread={(thread) => setSearch({ thread })}
            onInput={setConversationInput}
            onOtherModel={() => modelRef.current?.focus()}
          />
        ) : (
          <Suspense>
            <Surface
              kind={surface}
              input={input}
              onInput={(patch) => setInput((before) => ({ ...before, ...patch }))}
              request={request}
              blocked={blocked}
            />
          </Suspense>
        )}
      </div>
      <SidePanel {...panels.panel} side="end" title={t("playground.panel.title")}>
        <SettingsPanel settings={settings} onChange={change} request={request} />
      </SidePanel>
      <Suspense>
        {search.code === true && (
          <CodeDrawer
            settings={settings}
            input={shownInput}
            onClose={() => setSearch({ code: undefined })}
          />
        )}
      </Suspense>
    </div>
  );
}

/** Beside the conversation where there is room, over it where there is none. */
function usePanels() {
  const isWide = useMediaQuery("(min-width: 75em)", true, { getInitialValueInEffect: false });
  const [threads, setThreads] = useState(true);
  const [panel, setPanel] = useState(true);
  const [over, setOver] = useState<"threads" | "panel">();
  const side = (name: "threads" | "panel", isOn: boolean, set: (isOn: boolean) => void) => ({
    isInline: isWide && isOn,
    isOpen: isWide ? isOn : over === name,
    isOver: !isWide,
    onToggle: () => (isWide ? set(!isOn) : setOver(over === name ? undefined : name)),
  });
  return { threads: side("threads", threads, setThreads), panel: side("panel", panel, setPanel) };
}

function useTitle(page: string): void {
  const { t } = useTranslation();
  useEffect(() => {
    document.title = t("frame.tab", { page });
  }, [t, page]);
}
