import { describe, expect, it, vi } from "vitest";
import { answerWith } from "@/test/answers";
import { getJson, getText } from "./client";

const readName = (value: unknown): string => {
  if (typeof value !== "object" || value === null || !("name" in value)) {
    throw new Error("no name");
  }
  return String(value.name);
};

describe("getJson", () => {
  it("gives what the reader makes of the body", async () => {
    answerWith({ "/x": () => Response.json({ name: "gate" }) });
    expect(await getJson("/x", readName)).toBe("gate");
  });

  it("calls a server error broken and keeps the gateway's words and request id", async () => {
    const body = { success: false, message: "The store is full.", data: null };
    answerWith({
      "/x": () => Response.json(body, { status: 500, headers: { "x-request-id": "req-1" } }),
    });
    await expect(getJson("/x", readName)).rejects.toMatchObject({
      kind: "broken",
      path: "/x",
      context: { status: 500, detail: "The store is full.", requestId: "req-1" },
    });
  });

  it.each(["", "<html>", "null", '{"message": 7}'])(
    "calls a client error refused, whatever its body: %j",
    async (body) => {
      answerWith({ "/x": () => new Response(body, { status: 403 }) });
      await expect(getJson("/x", readName)).rejects.toMatchObject({
        kind: "refused",
        context: { status: 403, detail: undefined },
      });
    },
  );

  it("reads an error status that the caller accepts", async () => {
    answerWith({ "/x": () => Response.json({ name: "starting" }, { status: 503 }) });
    expect(await getJson("/x", readName, { alsoAccept: [503] })).toBe("starting");
  });

  it.each([
    ["a body that is not JSON", () => new Response("<html>")],
    ["a body that the reader refuses", () => Response.json({ other: 1 })],
  ])("calls %s malformed", async (_, answer) => {
    answerWith({ "/x": answer });
    await expect(getJson("/x", readName)).rejects.toMatchObject({ kind: "malformed" });
  });

  it("calls a lost connection unreachable", async () => {
    answerWith({});
    await expect(getJson("/x", readName)).rejects.toMatchObject({ kind: "unreachable" });
  });

  it("tells a timeout from a lost connection", async () => {
    vi.stubGlobal("fetch", () => Promise.reject(new DOMException("slow", "TimeoutError")));
    await expect(getJson("/x", readName)).rejects.toMatchObject({ kind: "timeout" });
  });
});

describe("getText", () => {
  it("gives the body as it is", async () => {
    answerWith({ "/metrics": () => new Response("a 1\n") });
    expect(await getText("/metrics")).toBe("a 1\n");
  });
});
