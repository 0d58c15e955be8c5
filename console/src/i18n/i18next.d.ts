// Makes every translation key a type: a key that the English files lack does not compile.

import "i18next";
import type { Texts } from "./texts.gen";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    keySeparator: false;
    nsSeparator: false;
    resources: { translation: Texts };
  }
}
