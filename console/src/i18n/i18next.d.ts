// Makes every translation key a type: a key that en.json lacks does not compile.

import "i18next";
import type english from "./console/en.json";

declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "translation";
    keySeparator: false;
    nsSeparator: false;
    resources: { translation: typeof english };
  }
}
