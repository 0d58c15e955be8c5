// Why the call cannot be sent as it is set: the first reason, in words.

import { useTranslation } from "react-i18next";
import { limitProblems } from "../model/parameters";
import type { Settings } from "../model/settings";
import { readSchema } from "../request/output";
import { extraBody } from "../request/prepare";
import { readTools } from "../request/tools";

export function useBlocked(settings: Settings): string | undefined {
  const { t } = useTranslation();
  if (settings.model === "") {
    return t("playground.blocked.model");
  }
  if (limitProblems(settings).length > 0) {
    return t("playground.blocked.limits");
  }
  if ("problem" in readTools(settings.tools)) {
    return t("playground.blocked.tools");
  }
  if (settings.output === "schema" && readSchema(settings.schema) === undefined) {
    return t("playground.blocked.schema");
  }
  return extraBody(settings.extra) === undefined ? t("playground.blocked.extra") : undefined;
}
