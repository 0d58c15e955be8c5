// The pages that the signed-in person has: by role and by how the installation is used.

import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { statusQuery, useSession } from "@/session/session";
import { ADMINISTRATOR_PAGES, type NavigationEntry, USER_PAGES } from "./navigation";

export interface Pages {
  personal: readonly NavigationEntry[];
  administration: readonly NavigationEntry[];
}

export function usePages(): Pages {
  const { isAdministrator } = useSession();
  const { routesByPath } = useRouter();
  const isPersonal = useQuery(statusQuery).data?.mode === "personal";
  const exists = ({ to, isCommercial = false }: NavigationEntry) =>
    !(isPersonal && isCommercial) &&
    routesByPath[to as keyof typeof routesByPath]?.options.staticData?.isMissing !== true;
  return {
    personal: USER_PAGES.filter(exists),
    administration: isAdministrator ? ADMINISTRATOR_PAGES.filter(exists) : [],
  };
}
