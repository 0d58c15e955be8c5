import { expect, it } from "vitest";
import { toCsv } from "./csv";

it("quotes what needs it and disarms formulas", () => {
  const rows = [["a,b", 'say "hi"', "=1+1", -5, null, "@x", "line\nbreak"]];
  expect(toCsv(["x"], rows)).toBe(`x\r\n"a,b","say ""hi""",'=1+1,-5,,'@x,"line\nbreak"\r\n`);
});
