import { Text } from "@mantine/core";
import { Time } from "@/ui/Time";

/** A moment, or what it means that there is none: that is known, so it is no dash. */
export function TimeOrWord({ at, word }: { at: string | null; word: string }) {
  return at === null ? (
    <Text span inherit c="dimmed">
      {word}
    </Text>
  ) : (
    <Time at={at} />
  );
}
