// Which pages are taken, and what is done on them before.

import { expect, type Page } from "@playwright/test";
import { send, settledReply } from "../e2e/support/playground";

export interface View {
  path: string;
  /** What happens on the page before its picture is taken. */
  act?: (page: Page) => Promise<void>;
}

/** What the addresses of some views need. */
export interface Seeded {
  requestId: string;
  keyId: number;
  matrixTask: string;
}

export const PUBLIC: readonly View[] = [
  "/",
  "/login",
  "/register",
  "/forgot",
  "/models",
  "/models/gpt-5",
  "/status",
].map((path) => ({ path }));

const QUESTION =
  "Explain in **one sentence** what a gateway is for:\n\n| Part | Task |\n|---|---|\n| Route | finds a channel |\n| Meter | counts tokens |";

/** The models of the matrix that was run. */
const TESTED = JSON.stringify(["gpt-5", "gpt-5-mini", "claude-sonnet-4-5", "llama-3.3-70b"]);

const PAGES = [
  "overview",
  "keys",
  "keys?new=true",
  "connect",
  "usage?range=1h",
  "logs",
  "logs?request_id=none",
  "wallet",
  "account",
  "account?section=security",
  "account?section=sessions",
  "account?section=preferences",
  "channels",
  "channels?view=table",
  "channels/new",
  "channels/2",
  "routing?model=claude-sonnet-4-5",
  "routing?tab=map",
  "incidents",
  "incidents/1",
  "models",
  "models?model=gpt-5",
  "users",
  "users/2",
  "groups",
  "codes",
  "orders",
  "orders?view=deliveries",
  "announcements",
  "audit",
  "audit?action=setup&entry=1",
  "tasks",
  "settings/general",
  "settings/limits",
  "settings/import",
  "system",
] as const;

/** Everything an administrator sees. */
export function consoleViews({ requestId, keyId, matrixTask }: Seeded): View[] {
  return [
    ...[...PAGES, `keys/${keyId}`, `logs?open=${requestId}`, `logs/${requestId}`].map(inConsole),
    inConsole(`channels/matrix?task=${matrixTask}&models=${encodeURIComponent(TESTED)}`),
    {
      path: "/console/playground?model=gpt-5",
      act: async (page) => {
        await send(page, QUESTION);
        await settledReply(page);
      },
    },
    {
      path: "/console/playground/compare?models=gpt-5,claude-sonnet-4-5,llama-3.3-70b",
      act: async (page) => {
        await send(page, "Which of you is the fastest?");
        await expect(page.getByRole("table")).toContainText("$");
      },
    },
    {
      path: "/console/playground?model=gpt-5&code=true",
      act: async (page) => expect(page.getByRole("dialog").locator("pre")).toContainText("curl"),
    },
    {
      path: "/console/system#palette",
      act: async (page) => {
        await page.keyboard.press("Control+K");
        await page.getByRole("dialog").getByRole("textbox").fill("openai");
        await expect(page.getByRole("dialog").getByText("openai-main")).toBeVisible();
      },
    },
  ];
}

/** What people without a role see otherwise than administrators. */
export const OF_USERS: readonly View[] = [
  "overview",
  "playground",
  "keys",
  "connect",
  "usage",
  "logs",
  "wallet",
].map(inConsole);

function inConsole(path: string): View {
  return { path: `/console/${path}` };
}
