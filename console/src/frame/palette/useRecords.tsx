// Records that the server finds for what was typed: keys, and for administrators users and channels;
// a request id leads to its log entry.

import { IconFileText, IconKey, IconPlug, IconUser } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { api, dataOf } from "@/api/management";
import { useSession } from "@/session/session";
import type { Found } from "./found";

const LEAST_LETTERS = 2;
const MOST = 4;
const REQUEST_ID = /^[0-9a-f]{32}$/i;
const SIZE = { size: 18, stroke: 1.6 } as const;

interface Named {
  id: number;
  name: string;
}

interface Records {
  keys: Named[];
  users: Named[];
  channels: Named[];
}

async function find(search: string, isAdministrator: boolean, signal: AbortSignal) {
  const options = { params: { query: { p: 1, page_size: MOST, search } }, signal };
  const [keys, users, channels] = await Promise.all([
    dataOf(api.GET("/api/token/", options)),
    isAdministrator ? dataOf(api.GET("/api/user/", options)) : undefined,
    isAdministrator ? dataOf(api.GET("/api/channel/", options)) : undefined,
  ]);
  return {
    keys: keys.items,
    users: users?.items.map(({ id, username }) => ({ id, name: username })) ?? [],
    channels: channels?.items ?? [],
  } satisfies Records;
}

/** What was found; nothing while fewer than two letters are typed. */
export function useRecords(search: string): Found {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const { isAdministrator } = useSession();
  const { data, isFetching } = useQuery({
    queryKey: ["palette", search, isAdministrator],
    enabled: search.length >= LEAST_LETTERS && !REQUEST_ID.test(search),
    queryFn: ({ signal }) => find(search, isAdministrator, signal),
  });
  if (REQUEST_ID.test(search)) {
    const request = {
      id: "request",
      label: search,
      description: t("palette.request"),
      leftSection: <IconFileText {...SIZE} />,
      onClick: () =>
        void navigate({ to: "/console/logs/$requestId", params: { requestId: search } }),
    };
    return { actions: [request], isSearching: false };
  }
  const found: Records = data ?? { keys: [], users: [], channels: [] };
  const actions = [
    ...found.keys.map(({ id, name }) => ({
      id: `key ${id}`,
      label: name,
      description: t("palette.key"),
      leftSection: <IconKey {...SIZE} />,
      onClick: () => void navigate({ to: "/console/keys/$id", params: { id: String(id) } }),
    })),
    ...found.users.map(({ id, name }) => ({
      id: `user ${id}`,
      label: name,
      description: t("palette.user"),
      leftSection: <IconUser {...SIZE} />,
      onClick: () => void navigate({ to: "/console/users/$id", params: { id: String(id) } }),
    })),
    ...found.channels.map(({ id, name }) => ({
      id: `channel ${id}`,
      label: name,
      description: t("palette.channel"),
      leftSection: <IconPlug {...SIZE} />,
      onClick: () => void navigate({ to: "/console/channels/$id", params: { id: String(id) } }),
    })),
  ];
  return { actions, isSearching: isFetching };
}
