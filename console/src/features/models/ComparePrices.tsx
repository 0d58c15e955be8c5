// Prices beside the shipped catalogue or a list from a file, with a box to tick at every difference.

import { FileInput, Group, Modal, SegmentedControl, Stack, Switch, Text } from "@mantine/core";
import { IconFileImport } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { DataRegion } from "@/ui/DataRegion";
import { LaterTexts } from "@/ui/LaterTexts";
import { ComparedLines } from "./ComparedLines";
import { comparisonQuery, type Offer } from "./compareApi";

export default function ComparePrices({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Modal
      opened
      onClose={onClose}
      title={t("models.compare")}
      size="64rem"
      closeButtonProps={{ "aria-label": t("ui.close") }}
    >
      <LaterTexts>
        <Comparing />
      </LaterTexts>
    </Modal>
  );
}

function Comparing() {
  const { t } = useTranslation();
  const [offer, setOffer] = useState<Offer>({ source: "catalogue", file: null, isServed: false });
  const isFile = offer.source === "litellm";
  const isReady = !isFile || offer.file !== null;
  const choose = (source: string) =>
    setOffer({
      ...offer,
      source: source as Offer["source"],
      file: null,
      // Lists name thousands of models; few of them are served here.
      isServed: source === "litellm",
    });
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw="72ch">
        {t("compare.text")}
      </Text>
      <Group justify="space-between">
        <SegmentedControl
          aria-label={t("compare.with")}
          data={[
            { value: "catalogue", label: t("compare.catalogue") },
            { value: "litellm", label: t("compare.file") },
          ]}
          value={offer.source}
          onChange={choose}
        />
        <Switch
          label={t("compare.served")}
          checked={offer.isServed}
          onChange={(event) => setOffer({ ...offer, isServed: event.currentTarget.checked })}
        />
      </Group>
      {isFile && (
        <FileInput
          label={t("compare.file")}
          description={t("compare.fileText")}
          placeholder={t("compare.choose")}
          accept="application/json,.json"
          leftSection={<IconFileImport size={16} />}
          clearable
          clearButtonProps={{ "aria-label": t("compare.clear") }}
          value={offer.file}
          onChange={(file) => setOffer({ ...offer, file })}
        />
      )}
      {isReady && <Compared offer={offer} />}
    </Stack>
  );
}

function Compared({ offer }: { offer: Offer }) {
  const comparison = useQuery(comparisonQuery(offer));
  return (
    <DataRegion query={comparison} skeletonHeight={320}>
      {(found) => <ComparedLines comparison={found} />}
    </DataRegion>
  );
}
