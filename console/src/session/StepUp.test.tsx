import { act, fireEvent, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { interrupts } from "@/api/interrupt";
import { answerWith } from "@/test/answers";
import { renderInConsole } from "@/test/render";
import { StepUp } from "./StepUp";

const PROOF = { fresh_until: "2026-01-01T00:10:00Z" };

function ask(ways: object) {
  const answers = [{ fresh_until: null, ...ways }, PROOF];
  const next = () => Response.json({ success: true, message: "", data: answers.shift() });
  answerWith({ "/api/verify": next });
  let confirmed: Promise<boolean> | undefined;
  act(() => {
    confirmed = interrupts().stepUp?.();
  });
  return confirmed;
}

it("takes the password, and the code where a second factor is on", async () => {
  await renderInConsole(<StepUp />);
  const confirmed = ask({ password: true, second_factor: true, passkey: false });
  const password = await screen.findByLabelText("Password");
  fireEvent.change(password, { target: { value: "correct horse battery" } });
  const code = screen.getByLabelText("Code of your authenticator app, or a backup code");
  fireEvent.change(code, { target: { value: "123456" } });
  fireEvent.click(screen.getByRole("button", { name: "Confirm" }));
  expect(await confirmed).toBe(true);
});

it("tells people without password and passkey to sign in again", async () => {
  await renderInConsole(<StepUp />);
  const confirmed = ask({ password: false, second_factor: false, passkey: false });
  await screen.findByText(/sign in again through your provider/);
  expect(screen.queryByLabelText("Password")).toBeNull();
  fireEvent.click(screen.getByRole("button", { name: "Close" }));
  expect(await confirmed).toBe(false);
});
