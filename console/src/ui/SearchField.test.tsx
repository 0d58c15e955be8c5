import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useState } from "react";
import { expect, it, vi } from "vitest";
import { renderInConsole } from "@/test/render";
import { SearchField } from "./SearchField";

let goTo: (text: string) => void;
const searched = vi.fn();

function Page() {
  const [value, setValue] = useState("");
  goTo = setValue;
  return (
    <SearchField
      label="Search"
      value={value}
      onSearch={(text) => {
        searched(text);
        setValue(text ?? "");
      }}
    />
  );
}

it("keeps the space before the next word, and follows the address", async () => {
  await renderInConsole(<Page />);
  const field = screen.getByRole<HTMLInputElement>("searchbox", { name: "Search" });
  await userEvent.type(field, "two ");
  await vi.waitFor(() => expect(searched).toHaveBeenCalledWith("two"));
  await userEvent.type(field, "words");
  expect(field.value).toBe("two words");
  await vi.waitFor(() => expect(searched).toHaveBeenCalledWith("two words"));
  act(() => goTo(""));
  expect(field.value).toBe("");
});
