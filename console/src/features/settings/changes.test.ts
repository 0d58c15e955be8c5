import { expect, it } from "vitest";
import { RequestFailure } from "@/api/failure";
import type { Setting } from "./api";
import { refusedSetting, searchSettings, withChange } from "./changes";

const setting = (patch: Partial<Setting>) =>
  ({
    key: "login.failures",
    about: "Wrong passwords before a lock",
    environment: "MODELGATE_LOGIN__FAILURES",
    value: 5,
    secret: false,
    ...patch,
  }) as Setting;

it("forgets a change that is none", () => {
  const changed = withChange({}, setting({}), 3);
  expect(changed).toEqual({ "login.failures": 3 });
  expect(withChange(changed, setting({}), 5)).toEqual({});
  expect(withChange({}, setting({ secret: true, value: null }), "")).toEqual({});
});

it("finds settings by every word of key, meaning and variable", () => {
  const all = [setting({}), setting({ key: "mail.host", about: "SMTP", environment: "X" })];
  expect(searchSettings(all, "lock wrong").map(({ key }) => key)).toEqual(["login.failures"]);
  expect(searchSettings(all, "LOGIN__FAIL").map(({ key }) => key)).toEqual(["login.failures"]);
  expect(searchSettings(all, "lock smtp")).toEqual([]);
});

it("reads which setting a refusal is about", () => {
  const detail = "login.failures: must be at least 1";
  const failure = new RequestFailure("refused", "/api/option/", { detail });
  expect(refusedSetting(failure)).toEqual({ key: "login.failures", text: "must be at least 1" });
  expect(refusedSetting(new Error("x"))).toBeUndefined();
});
