// Which client style is chosen. The stylesheet does the showing and hiding, so the switch works with
// scripts off; this keeps the choice in the address, so that a shared link opens the same view.

const PARAMETER = "style";

/** Checks the radio button that the address names, if it names one. */
export function restoreStyle(radios: Iterable<HTMLInputElement>, search: string): void {
  const wanted = new URLSearchParams(search).get(PARAMETER);
  for (const radio of radios) {
    if (radio.value === wanted) {
      radio.checked = true;
    }
  }
}

/** The address of the page with the given style chosen. */
export function addressWithStyle(address: string, style: string): string {
  const url = new URL(address);
  url.searchParams.set(PARAMETER, style);
  return url.href;
}
