import { Alert, Anchor, List, Text } from "@mantine/core";
import { IconAlertTriangle, IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { type Coverage, coverageQuery } from "./api";
import { type WarningKind, warningsOf } from "./warnings";

const TEXT = {
  none_healthy: "routing.warning.none_healthy",
  on_trial: "routing.warning.on_trial",
  no_price: "routing.warning.no_price",
  one_channel: "routing.warning.one_channel",
} as const satisfies Record<WarningKind, string>;

/** As many as one reads; the map has them all. */
const SHOWN = 5;

export interface CoverageWarningsProps {
  onExplain: (model: string) => void;
}

export function CoverageWarnings({ onExplain }: CoverageWarningsProps) {
  const coverage = useQuery(coverageQuery);
  return (
    <DataRegion query={coverage} skeletonHeight={90}>
      {(all) => <Warnings coverage={all} onExplain={onExplain} />}
    </DataRegion>
  );
}

function Warnings({
  coverage,
  onExplain,
}: CoverageWarningsProps & { coverage: readonly Coverage[] }) {
  const { t } = useTranslation();
  const warnings = warningsOf(coverage);
  if (warnings.length === 0) {
    return (
      <Alert color="green" variant="light" icon={<IconCheck />} title={t("routing.covered")} />
    );
  }
  const isSevere = warnings.some(({ kind }) => kind !== "one_channel");
  return (
    <Alert
      color={isSevere ? "red" : "yellow"}
      variant="light"
      icon={<IconAlertTriangle />}
      title={t("routing.warnings", { count: warnings.length })}
    >
      <List size="sm">
        {warnings.slice(0, SHOWN).map(({ kind, model, groups }) => (
          <List.Item key={`${kind} ${model}`} style={{ overflowWrap: "anywhere" }}>
            <Anchor
              component="button"
              type="button"
              size="sm"
              c="var(--mantine-color-text)"
              onClick={() => onExplain(model)}
            >
              {model}
            </Anchor>{" "}
            {t(TEXT[kind], { groups: groups.join(", ") })}
          </List.Item>
        ))}
      </List>
      {warnings.length > SHOWN && (
        <Text size="sm">{t("routing.moreWarnings", { count: warnings.length - SHOWN })}</Text>
      )}
    </Alert>
  );
}
