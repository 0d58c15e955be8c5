import { expect, test } from "vitest";
import { mayManage, rolesToGive } from "./roles";

test("only those below oneself are managed, and root manages all", () => {
  expect(mayManage({ role: 10 }, { role: 1 })).toBe(true);
  expect(mayManage({ role: 10 }, { role: 10 })).toBe(false);
  expect(mayManage({ role: 10 }, { role: 100 })).toBe(false);
  expect(mayManage({ role: 100 }, { role: 100 })).toBe(true);
});

test("nobody gives a role of their own level, root aside", () => {
  expect(rolesToGive({ role: 10 })).toEqual([1]);
  expect(rolesToGive({ role: 100 })).toEqual([1, 10, 100]);
});
