import { Avatar } from "@mantine/core";

/** A provider by its initials: no vendor's sign, no request for one. */
export function ProviderMark({ label, size = 32 }: { label: string; size?: number }) {
  const words = label.split(/[\s.-]+/).filter((word) => /^\p{L}/u.test(word));
  const initials = words
    .slice(0, 2)
    .map((word) => word.slice(0, 1).toUpperCase())
    .join("");
  return (
    <Avatar size={size} radius="md" color="gate" variant="light" aria-hidden>
      {initials}
    </Avatar>
  );
}
