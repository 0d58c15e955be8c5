import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderInConsole } from "@/test/render";
import { AttemptTimeline } from "./AttemptTimeline";
import type { Attempt, Call } from "./api";

const DIALLED_IN_VAIN = {
  channel: "first",
  channel_id: 1,
  key_index: null,
  status: null,
  error: "The upstream refused the connection.",
  started_after_ms: 0,
  connect_ms: null,
  first_byte_ms: null,
  total_ms: 20,
} as Attempt;

function draw(attempt: Attempt) {
  return renderInConsole(
    <AttemptTimeline of={{ attempts: [attempt], total_ms: 20 } as Partial<Call> as Call} />,
  );
}

it("says nothing of a connection that was not measured", async () => {
  await draw(DIALLED_IN_VAIN);
  expect(screen.getByText("began after 0 ms · no first byte · ended after 20 ms")).toBeDefined();
});

it("says how long it took to connect", async () => {
  await draw({ ...DIALLED_IN_VAIN, connect_ms: 4 });
  expect(screen.getByText(/connected in 4 ms/)).toBeDefined();
});
