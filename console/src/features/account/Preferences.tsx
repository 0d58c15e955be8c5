import { Radio, Select, Stack, useMantineColorScheme } from "@mantine/core";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { LANGUAGES, matchLanguage } from "@/i18n/languages";
import { changeLanguage } from "@/i18n/setup";
import { changeDensity, currentDensity, DENSITIES } from "@/lib/density";
import { THEMES, toTheme } from "@/lib/theme";
import { SectionCard } from "@/ui/SectionCard";

const THEME_TEXT = { auto: "theme.system", light: "theme.light", dark: "theme.dark" } as const;
const DENSITY_TEXT = {
  comfortable: "account.comfortable",
  compact: "account.compact",
} as const;

/** Language, theme and density of this browser; taken at once. */
export function Preferences() {
  const { t, i18n } = useTranslation();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [density, setDensity] = useState(currentDensity);
  return (
    <SectionCard title={t("account.preferences")} text={t("account.preferencesText")}>
      <Stack gap="lg" maw={320}>
        <Select
          label={t("account.language")}
          allowDeselect={false}
          data={LANGUAGES.map(({ code, label }) => ({ value: code, label }))}
          value={i18n.language}
          onChange={(value) => {
            const language = matchLanguage(value ?? "");
            if (language !== undefined) {
              void changeLanguage(i18n, language);
            }
          }}
        />
        <Radio.Group
          label={t("account.theme")}
          value={colorScheme}
          onChange={(value) => setColorScheme(toTheme(value))}
        >
          <Stack gap="xs" mt="xs">
            {THEMES.map((theme) => (
              <Radio key={theme} value={theme} label={t(THEME_TEXT[theme])} />
            ))}
          </Stack>
        </Radio.Group>
        <Radio.Group
          label={t("account.density")}
          value={density}
          onChange={(value) => {
            const chosen = DENSITIES.find((each) => each === value) ?? "comfortable";
            setDensity(chosen);
            changeDensity(chosen);
          }}
        >
          <Stack gap="xs" mt="xs">
            {DENSITIES.map((each) => (
              <Radio key={each} value={each} label={t(DENSITY_TEXT[each])} />
            ))}
          </Stack>
        </Radio.Group>
      </Stack>
    </SectionCard>
  );
}
