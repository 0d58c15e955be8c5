import { RouterAnchor } from "@/ui/RouterAnchor";

/** A channel's name, which leads to its page. */
export function ChannelLink({ id, name }: { id: number; name: string }) {
  return (
    <RouterAnchor
      to="/console/channels/$id"
      params={{ id: String(id) }}
      size="sm"
      fw={600}
      lineClamp={1}
      style={{ overflowWrap: "anywhere" }}
    >
      <bdi>{name}</bdi>
    </RouterAnchor>
  );
}
