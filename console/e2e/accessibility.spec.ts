// A sweep over every page and state: axe-core's rules in both themes, no sideways scrolling on a phone.
// The views are in e2e/sweep, a file for each feature.

import {
  accessibilityViolations,
  contrastViolations,
  layoutViolations,
  settledIn,
  sidewaysScroll,
} from "./support/accessibility";
import { makeUser } from "./support/accounts";
import { expect, signedIn, test } from "./support/test";
import { allViews } from "./support/views";

for (const { feature, views } of await allViews()) {
  for (const { name, as, open } of views) {
    test(`accessible in both themes and on a phone: ${feature}: ${name}`, async ({
      page,
      context,
      gateway,
      root,
      watch,
    }) => {
      if (as !== undefined) {
        await signedIn(context, gateway, as === "root" ? root : await makeUser(gateway, root));
      }
      await page.emulateMedia({ reducedMotion: "reduce", colorScheme: "light" });
      await open(page, { gateway, root, watch });
      expect(await accessibilityViolations(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: "dark" });
      await settledIn(page, "dark");
      expect(await contrastViolations(page)).toEqual([]);
      await page.setViewportSize({ width: 360, height: 740 });
      await expect.poll(() => sidewaysScroll(page)).toBe(0);
      expect(await layoutViolations(page)).toEqual([]);
    });
  }
}
