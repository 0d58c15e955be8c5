import { useTranslation } from "react-i18next";
import { ENTITY_TEXT, wordOf } from "./words";

/** What a kind of record is called. */
export function useEntityName(): (entity: string) => string {
  const { t } = useTranslation();
  return (entity) => {
    const text = wordOf(ENTITY_TEXT, entity);
    return text === undefined ? entity : t(text);
  };
}
