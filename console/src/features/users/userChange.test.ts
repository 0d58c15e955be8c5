import { expect, test } from "vitest";
import type { User } from "./api";
import { changeOf, valuesOf } from "./userChange";

const USER = {
  id: 7,
  username: "ann",
  display_name: "Ann",
  email: "ann@example.org",
  remark: "",
  group: "default",
  role: 1,
} as User;

test("an untouched form changes nothing", () => {
  expect(changeOf(USER, valuesOf(USER))).toEqual({ id: 7 });
});

test("only what differs is sent, and an emptied address is removed", () => {
  const values = { ...valuesOf(USER), email: " ", role: "10", remark: "VIP", password: "secret12" };
  expect(changeOf(USER, values)).toEqual({
    id: 7,
    remark: "VIP",
    email: null,
    role: 10,
    password: "secret12",
  });
});
