import { expect, it } from "vitest";
import { proofScope } from "./interrupt";

it.each([
  ["PUT", "/api/channel/", "{}", "channel.key.change"],
  ["POST", "/api/channel/12/keys", "{}", "channel.key.change"],
  ["PUT", "/api/option/", "{}", "settings.change"],
  ["POST", "/api/system/backup", "", "backup.download"],
  ["POST", "/api/import/", "", "import.run"],
  ["DELETE", "/api/user/passkey/3", "", "passkey.delete"],
  ["PUT", "/api/user/self", '{"password":"x"}', "password.change"],
  ["PUT", "/api/user/self", '{"email":"x"}', "email.change"],
  ["GET", "/api/user/self", "", undefined],
])("asks for the scope of %s %s %s", (method, path, body, scope) => {
  expect(proofScope(method, path, body)).toBe(scope);
});
