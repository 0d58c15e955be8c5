// The pages that the signed-in person has: by role and by how the installation is used.

import { useQuery } from "@tanstack/react-query";
import { statusQuery, useSession } from "@/session/session";
import { ADMINISTRATOR_PAGES, type NavigationEntry, USER_PAGES } from "./navigation";

export interface Pages {
  personal: readonly NavigationEntry[];
  administration: readonly NavigationEntry[];
}

export function usePages(): Pages {
  const { isAdministrator } = useSession();
  const isPersonal = useQuery(statusQuery).data?.mode === "personal";
  const isShown = ({ isCommercial = false }: NavigationEntry) => !(isPersonal && isCommercial);
  return {
    personal: USER_PAGES.filter(isShown),
    administration: isAdministrator ? ADMINISTRATOR_PAGES.filter(isShown) : [],
  };
}
