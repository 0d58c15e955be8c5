import { ActionIcon, Menu } from "@mantine/core";
import { IconLanguage } from "@tabler/icons-react";
import { useTranslation } from "react-i18next";
import { LANGUAGES, matchLanguage } from "@/i18n/languages";
import { changeLanguage } from "@/i18n/setup";

/** Each language under its own name; kept in this browser. */
export function LanguageMenu() {
  const { t, i18n } = useTranslation();
  const choose = (value: string) => {
    const language = matchLanguage(value);
    if (language !== undefined) {
      void changeLanguage(i18n, language);
    }
  };
  const current = LANGUAGES.find(({ code }) => code === i18n.language)?.label ?? i18n.language;
  return (
    <Menu position="bottom-end" width={180} withinPortal={false}>
      <Menu.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="lg"
          aria-label={t("language.label", { language: current })}
        >
          <IconLanguage size={20} stroke={1.6} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup value={i18n.language} onChange={choose}>
          {LANGUAGES.map(({ code, label }) => (
            <Menu.RadioItem key={code} value={code} lang={code} closeMenuOnClick>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
