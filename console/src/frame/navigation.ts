// The entries of the navigation: at most 8 for a user and 9 more for administrators. Pages that belong
// to another one (groups to users, tasks to system …) are reached from there and by the palette.

import {
  type Icon,
  IconChartBar,
  IconCoin,
  IconFileText,
  IconFlame,
  IconGitFork,
  IconHome,
  IconKey,
  IconMessage,
  IconPlug,
  IconPlugConnected,
  IconReceipt,
  IconServer2,
  IconSettings,
  IconTicket,
  IconUser,
  IconUsers,
  IconWallet,
} from "@tabler/icons-react";
import type { FileRouteTypes } from "@/routeTree.gen";

export interface NavigationEntry {
  to: FileRouteTypes["to"];
  text: NavigationText;
  icon: Icon;
  /** After `g`: goes there by keyboard. */
  letter: string;
  /** Pages about money and other people, which "personal" mode has no use for. */
  isCommercial?: boolean;
}

type NavigationText =
  | "nav.overview"
  | "nav.playground"
  | "nav.keys"
  | "nav.connect"
  | "nav.usage"
  | "nav.logs"
  | "nav.wallet"
  | "nav.account"
  | "nav.channels"
  | "nav.routing"
  | "nav.incidents"
  | "nav.models"
  | "nav.users"
  | "nav.codes"
  | "nav.orders"
  | "nav.settings"
  | "nav.system";

export const USER_PAGES: readonly NavigationEntry[] = [
  { to: "/console/overview", text: "nav.overview", icon: IconHome, letter: "o" },
  { to: "/console/playground", text: "nav.playground", icon: IconMessage, letter: "p" },
  { to: "/console/keys", text: "nav.keys", icon: IconKey, letter: "k" },
  { to: "/console/connect", text: "nav.connect", icon: IconPlugConnected, letter: "t" },
  { to: "/console/usage", text: "nav.usage", icon: IconChartBar, letter: "u" },
  { to: "/console/logs", text: "nav.logs", icon: IconFileText, letter: "l" },
  {
    to: "/console/wallet",
    text: "nav.wallet",
    icon: IconWallet,
    letter: "w",
    isCommercial: true,
  },
  { to: "/console/account", text: "nav.account", icon: IconUser, letter: "a" },
];

export const ADMINISTRATOR_PAGES: readonly NavigationEntry[] = [
  { to: "/console/channels", text: "nav.channels", icon: IconPlug, letter: "c" },
  { to: "/console/routing", text: "nav.routing", icon: IconGitFork, letter: "r" },
  { to: "/console/incidents", text: "nav.incidents", icon: IconFlame, letter: "i" },
  { to: "/console/models", text: "nav.models", icon: IconCoin, letter: "m" },
  { to: "/console/users", text: "nav.users", icon: IconUsers, letter: "e", isCommercial: true },
  { to: "/console/codes", text: "nav.codes", icon: IconTicket, letter: "d", isCommercial: true },
  {
    to: "/console/orders",
    text: "nav.orders",
    icon: IconReceipt,
    letter: "b",
    isCommercial: true,
  },
  { to: "/console/settings", text: "nav.settings", icon: IconSettings, letter: "s" },
  { to: "/console/system", text: "nav.system", icon: IconServer2, letter: "y" },
];
