import { Badge, Group } from "@mantine/core";
import { useTranslation } from "react-i18next";
import type { Schema } from "@/api/management";

const CHIPS = [
  ["vision", "catalogue.can.vision"],
  ["audio", "catalogue.can.audio"],
  ["documents", "catalogue.can.documents"],
  ["reasoning", "catalogue.can.reasoning"],
  ["structured_output", "catalogue.can.structured"],
] as const;

const OPERATIONS = {
  generate: "catalogue.does.generate",
  embed: "catalogue.does.embed",
  rerank: "catalogue.does.rerank",
  moderate: "catalogue.does.moderate",
  generate_image: "catalogue.does.image",
  speak: "catalogue.does.speak",
  transcribe: "catalogue.does.transcribe",
  realtime: "catalogue.does.realtime",
} as const;

/** What a model does and takes, in chips. */
export function Capabilities({
  model,
}: {
  model: Pick<Schema<"Model">, "operations" | "capabilities">;
}) {
  const { t } = useTranslation();
  const does = model.operations.flatMap((operation) =>
    operation in OPERATIONS ? [t(OPERATIONS[operation as keyof typeof OPERATIONS])] : [],
  );
  const { capabilities } = model;
  const can = capabilities
    ? CHIPS.filter(([name]) => capabilities[name]).map(([, text]) => t(text))
    : [];
  return (
    <Group gap={6}>
      {[...does, ...can].map((text) => (
        <Badge key={text} variant="light" size="sm">
          {text}
        </Badge>
      ))}
    </Group>
  );
}
