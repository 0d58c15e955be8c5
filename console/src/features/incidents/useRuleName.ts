import { useTranslation } from "react-i18next";
import { isRule, RULE_TEXT } from "./words";

/** What a rule is called; one that this page does not know keeps the gateway's name. */
export function useRuleName(): (rule: string) => string {
  const { t } = useTranslation();
  return (rule) => (isRule(rule) ? t(RULE_TEXT[rule]) : rule);
}
