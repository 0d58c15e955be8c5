import { Paper, Select, Stack, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Recipe, recipesQuery } from "@/recipes/api";
import { RecipeFiles } from "@/recipes/RecipeFiles";
import { DataRegion } from "@/ui/DataRegion";
import { PageHead } from "@/ui/PageHead";
import { useUrlState } from "@/ui/useUrlState";
import { textModelsQuery } from "./api";
import { FirstCall } from "./FirstCall";
import { KeyPicker, type KnownSecret } from "./KeyPicker";
import type { ConnectSearch } from "./search";
import { TestPanel } from "./TestPanel";
import { ToolPicker } from "./ToolPicker";

/** From a tool to its first call: what to write where, a test, and the call itself. */
export function ConnectPage() {
  const { t } = useTranslation();
  const [search] = useUrlState<ConnectSearch>();
  const models = useQuery(textModelsQuery);
  const model = search.model ?? models.data?.[0];
  const recipes = useQuery(recipesQuery(model));
  return (
    <Stack gap="lg" maw={960}>
      <PageHead title={t("connect.title")} description={t("connect.text")} />
      <DataRegion query={recipes} skeletonHeight={480}>
        {(all) => <Steps recipes={all} model={model} models={models.data ?? []} />}
      </DataRegion>
    </Stack>
  );
}

interface StepsProps {
  recipes: readonly Recipe[];
  model: string | undefined;
  models: readonly string[];
}

function Steps({ recipes, model, models }: StepsProps) {
  const { t } = useTranslation();
  const [search, setSearch] = useUrlState<ConnectSearch>();
  const [known, setKnown] = useState<KnownSecret>();
  const recipe = recipes.find(({ id }) => id === search.tool) ?? recipes[0];
  if (recipe === undefined) {
    return null;
  }
  // A secret belongs to the key that it was made or pasted for.
  const secret = known?.keyId === search.key ? known?.secret : undefined;
  return (
    <Stack gap="lg">
      <Section title={t("connect.step1")}>
        <ToolPicker
          recipes={recipes}
          chosen={recipe.id}
          onChoose={(tool) => setSearch({ tool }, { push: true })}
        />
      </Section>
      <Section title={t("connect.step2")}>
        <KeyPicker
          keyId={search.key}
          known={secret === undefined ? undefined : known}
          tool={recipe.label}
          onChoose={(key) => setSearch({ key })}
          onKnow={setKnown}
        />
        <Select
          label={t("connect.model")}
          searchable
          allowDeselect={false}
          data={[...new Set([...models, ...(model === undefined ? [] : [model])])]}
          value={model ?? null}
          nothingFoundMessage={t("connect.noModel")}
          onChange={(value) => setSearch({ model: value ?? undefined })}
        />
      </Section>
      <Section title={t("connect.step3", { tool: recipe.label })}>
        <RecipeFiles recipe={recipe} secret={secret} />
      </Section>
      <Section title={t("connect.step4")}>
        <TestPanel key={recipe.id} recipe={recipe} model={model} secret={secret} />
        <FirstCall keyId={search.key} />
      </Section>
    </Stack>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Paper withBorder p="md" component="section" aria-label={title}>
      <Stack gap="md">
        <Title order={2} size="h5">
          {title}
        </Title>
        {children}
      </Stack>
    </Paper>
  );
}
