import { ActionIcon, Group, Indicator, Popover, ScrollArea, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconBell, IconFlame, IconSpeakerphone } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { RouterAnchor } from "@/ui/RouterAnchor";
import { Time } from "@/ui/Time";
import { type BellItem, useBellItems } from "./useBellItems";
import { useSeen } from "./useSeen";

const TONES = {
  notice: { icon: IconSpeakerphone, color: "var(--mantine-color-blue-text)" },
  warning: { icon: IconAlertTriangle, color: "var(--mantine-color-orange-text)" },
  critical: { icon: IconFlame, color: "var(--mantine-color-red-text)" },
} as const;
const MOST_HEIGHT = 420;

/** What wants attention now; a number while there is something that was not seen. */
export function NotificationBell() {
  const { t } = useTranslation();
  const items = useBellItems();
  const { seen, see } = useSeen();
  const count = items.filter(({ id }) => !seen.includes(id)).length;
  return (
    <Popover
      position="bottom-end"
      width={340}
      withinPortal={false}
      trapFocus
      onOpen={() => see(items.map(({ id }) => id))}
    >
      <Indicator disabled={count === 0} label={count} size={16} offset={8} color="red">
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t("bell.label", { count })}
          >
            <IconBell size={20} stroke={1.6} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown aria-label={t("bell.title")} p={0}>
        {items.length === 0 ? (
          <Text size="sm" c="dimmed" p="md">
            {t("bell.nothing")}
          </Text>
        ) : (
          <ScrollArea.Autosize mah={MOST_HEIGHT} viewportProps={{ tabIndex: 0 }}>
            <Stack gap="md" p="md">
              {items.map((item) => (
                <Item key={item.id} item={item} />
              ))}
            </Stack>
          </ScrollArea.Autosize>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

function Item({ item }: { item: BellItem }) {
  const { icon: Icon, color } = TONES[item.tone];
  const style = { overflowWrap: "anywhere" } as const;
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <Icon
        size={18}
        stroke={1.6}
        color={color}
        style={{ flex: "none", marginTop: 2 }}
        aria-hidden
      />
      <Stack gap={2} miw={0}>
        {item.link === undefined ? (
          <Text size="sm" fw={600} style={style}>
            {item.title}
          </Text>
        ) : (
          <RouterAnchor {...item.link} size="sm" fw={600} style={style}>
            {item.title}
          </RouterAnchor>
        )}
        <Text size="xs" style={style} lineClamp={4}>
          {item.text}
        </Text>
        {item.at !== undefined && (
          <Text size="xs" c="dimmed" component="div">
            <Time at={item.at} />
          </Text>
        )}
      </Stack>
    </Group>
  );
}
