import { Text } from "@mantine/core";
import { useTranslation } from "react-i18next";
import { Money } from "@/ui/Money";
import type { PriceLine } from "./prices";

const KINDS = {
  input: "catalogue.kind.input",
  output: "catalogue.kind.output",
  cache_read: "catalogue.kind.cacheRead",
  cache_write: "catalogue.kind.cacheWrite",
  audio_input: "catalogue.kind.audioInput",
  audio_output: "catalogue.kind.audioOutput",
  per_image: "catalogue.kind.image",
  per_second: "catalogue.kind.second",
  per_character: "catalogue.kind.character",
  per_search_unit: "catalogue.kind.search",
} as const;

/** What the price is for, in words; an unknown one by the gateway's own name. */
export function useKindText(): (kind: string) => string {
  const { t } = useTranslation();
  return (kind) =>
    kind in KINDS ? t(KINDS[kind as keyof typeof KINDS]) : kind.replaceAll("_", " ");
}

/** One price with what it is for. */
export function PriceText({ line }: { line: PriceLine }) {
  const kindText = useKindText();
  return (
    <Text size="sm" component="span">
      <Text span c="dimmed" size="sm">
        {kindText(line.kind)}
      </Text>{" "}
      <Money usd={line.usd} />
    </Text>
  );
}
