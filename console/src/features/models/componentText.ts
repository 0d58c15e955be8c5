// What the prices of a comparison are called: `input`, `tiers/200000/input`, `images/1024x1024/high`.

import type { TFunction } from "i18next";
import { RATES } from "./prices";
import { RATE_TEXT } from "./rateText";

function rateText(t: TFunction, name: string): string {
  const rate = RATES.find((each) => each === name);
  return rate === undefined ? name : t(RATE_TEXT[rate]);
}

export function componentText(t: TFunction, language: string, component: string): string {
  const [kind = "", first = "", ...rest] = component.split("/");
  const last = rest.join("/");
  switch (kind) {
    case "tiers": {
      const tokens = new Intl.NumberFormat(language).format(Number(first));
      return t("compare.above", { rate: rateText(t, last), tokens });
    }
    case "images":
      return t("compare.image", { size: first, quality: last });
    case "hosted_tools":
      return t("compare.tool", { tool: [first, ...rest].join("/") });
    default:
      return rateText(t, component);
  }
}
