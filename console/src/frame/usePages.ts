// The pages that the signed-in person has: by role and by how the installation is used.

import { useRouter } from "@tanstack/react-router";
import { useSession } from "@/session/session";
import { ADMINISTRATOR_PAGES, type NavigationEntry, USER_PAGES } from "./navigation";

export interface Pages {
  personal: readonly NavigationEntry[];
  administration: readonly NavigationEntry[];
}

export function usePages(): Pages {
  const { isAdministrator } = useSession();
  const { routesByPath } = useRouter();
  const exists = ({ to }: NavigationEntry) =>
    routesByPath[to as keyof typeof routesByPath]?.options.staticData?.isMissing !== true;
  return {
    personal: USER_PAGES.filter(exists),
    administration: isAdministrator ? ADMINISTRATOR_PAGES.filter(exists) : [],
  };
}
