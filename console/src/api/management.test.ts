import { expect, it, vi } from "vitest";
import { answerWith } from "@/test/answers";
import { RequestFailure } from "./failure";
import { onInterrupt } from "./interrupt";
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

it("sends a call again once the person has confirmed who they are", async () => {
  const refused = { success: false, message: "Confirm.", code: "step_up_required", data: null };
  const made = { success: true, message: "", data: { id: 1, token: "pat-x" } };
  const answers = [Response.json(refused, { status: 403 }), Response.json(made)];
  answerWith({ "/api/user/pat": () => answers.shift() ?? new Response(null, { status: 500 }) });
  const stepUp = vi.fn(async () => true);
  const takeBack = onInterrupt({ stepUp });
  const body = { name: "ci" };
  expect(await dataOf(api.POST("/api/user/pat", { body }))).toMatchObject({ token: "pat-x" });
  expect(stepUp).toHaveBeenCalledOnce();
  takeBack();
});

it("fails a call whose person did not confirm who they are", async () => {
  const refused = { success: false, message: "Confirm.", code: "step_up_required", data: null };
  answerWith({ "/api/user/pat": () => Response.json(refused, { status: 403 }) });
  const takeBack = onInterrupt({ stepUp: async () => false });
  const failure = await api
    .POST("/api/user/pat", { body: { name: "ci" } })
    .catch((error: unknown) => error);
  expect(failure).toMatchObject({ context: { code: "step_up_required" } });
  takeBack();
});
