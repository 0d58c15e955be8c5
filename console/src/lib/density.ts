// How closely rows stand, kept in this browser. The style sheet reads it from the root element.

import { readPreference, storePreference } from "./preference";

const DENSITY_KEY = "modelgate-density";

export const DENSITIES = ["comfortable", "compact"] as const;

export type Density = (typeof DENSITIES)[number];

/** The stored choice; anything unknown is comfortable. */
export function currentDensity(): Density {
  const stored = readPreference(DENSITY_KEY);
  return DENSITIES.find((each) => each === stored) ?? "comfortable";
}

/** Puts the choice on the page; run once before the first page is drawn. */
export function applyDensity(density: Density = currentDensity()): void {
  document.documentElement.dataset.density = density;
}

/** Takes and remembers another choice. */
export function changeDensity(density: Density): void {
  storePreference(DENSITY_KEY, density);
  applyDensity(density);
}
