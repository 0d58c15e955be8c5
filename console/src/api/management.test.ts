import { expect, it } from "vitest";
import { answerWith } from "@/test/answers";
import { RequestFailure } from "./failure";
import { api, dataOf } from "./management";

const HEADERS = { "content-type": "application/json" };

it("gives an answer's data", async () => {
  answerWith({ "/api/status": () => Response.json({ success: true, data: { version: "1" } }) });
  expect(await dataOf(api.GET("/api/status"))).toEqual({ version: "1" });
});

it("takes an answer without a body", async () => {
  answerWith({ "/api/status": () => new Response(null, { status: 204 }) });
  expect((await api.GET("/api/status")).response.status).toBe(204);
});

it("fails like any other request where an answer breaks off after its head", async () => {
  const breaking = new ReadableStream({
    start: (controller) => controller.error(new DOMException("signal timed out", "TimeoutError")),
  });
  answerWith({ "/api/status": () => new Response(breaking, { headers: HEADERS }) });
  const failure = await api.GET("/api/status").catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(RequestFailure);
  expect(failure).toMatchObject({ kind: "timeout", path: "/api/status" });
});
