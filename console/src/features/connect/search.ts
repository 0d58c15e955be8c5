// What the Connect page keeps in its address; a key's secret is never in it.

import { integer, searchOf, text } from "@/lib/search";

export const readConnectSearch = searchOf({ tool: text(), key: integer(1), model: text() });

export type ConnectSearch = ReturnType<typeof readConnectSearch>;
