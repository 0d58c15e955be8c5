import { Badge } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { statusQuery } from "@/session/session";

/** Says which installation this is, so that staging is not mistaken for production. */
export function EnvironmentRibbon() {
  const environment = useQuery(statusQuery).data?.environment;
  return environment ? (
    <Badge color={environment.color} variant="filled" radius="sm" maw={140}>
      {environment.name}
    </Badge>
  ) : null;
}
