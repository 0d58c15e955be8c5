import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { RequestFailure } from "@/api/failure";
import { renderInConsole } from "@/test/render";
import { DataRegion, type DataRegionProps } from "./DataRegion";

type Query = DataRegionProps<string[]>["query"];

function query(parts: Partial<Query>): Query {
  return {
    data: undefined,
    error: null,
    isFetching: false,
    dataUpdatedAt: 0,
    refetch: vi.fn(),
    ...parts,
  };
}

function draw(props: Partial<DataRegionProps<string[]>> & { query: Query }) {
  return renderInConsole(
    <DataRegion
      skeletonHeight={40}
      isEmpty={(items) => items.length === 0}
      emptyFirst="Nothing was ever here"
      {...props}
    >
      {(items) => <p>{items.join(", ")}</p>}
    </DataRegion>,
  );
}

describe("DataRegion", () => {
  it("announces that it loads", async () => {
    await draw({ query: query({}) });
    expect(screen.getByRole("status", { name: "Loading" })).toBeDefined();
  });

  it("shows the data", async () => {
    await draw({ query: query({ data: ["a", "b"] }) });
    expect(screen.getByText("a, b")).toBeDefined();
  });

  it("explains itself when there was never any data", async () => {
    await draw({ query: query({ data: [] }) });
    expect(screen.getByText("Nothing was ever here")).toBeDefined();
  });

  it("says how many a filter hides, and clears it", async () => {
    const onClear = vi.fn();
    await draw({ query: query({ data: [] }), filter: { total: 1_204, onClear } });
    expect(screen.getByText("0 of 1,204 match")).toBeDefined();
    await userEvent.click(screen.getByRole("button", { name: "Clear filters" }));
    expect(onClear).toHaveBeenCalledOnce();
  });

  it("blames no filter when there is nothing to filter", async () => {
    await draw({ query: query({ data: [] }), filter: { total: 0, onClear: vi.fn() } });
    expect(screen.getByText("Nothing was ever here")).toBeDefined();
  });

  it("tells a failure, whose fault it is, the request id, and retries", async () => {
    const refetch = vi.fn();
    const error = new RequestFailure("broken", "/api/x", {
      status: 500,
      detail: "The store is full.",
      requestId: "req-7",
    });
    await draw({ query: query({ error, refetch }) });
    const alert = screen.getByRole("alert");
    expect(alert.textContent).toContain("The gateway answered /api/x with status 500");
    expect(alert.textContent).toContain("The gateway failed while answering.");
    expect(alert.textContent).toContain("The gateway says: The store is full.");
    expect(alert.textContent).toContain("req-7");
    await userEvent.click(screen.getByRole("button", { name: "Retry" }));
    expect(refetch).toHaveBeenCalledOnce();
  });

  it("keeps older data in view with its age after a failure", async () => {
    await draw({
      query: query({
        data: ["old"],
        dataUpdatedAt: Date.now() - 65_000,
        error: new RequestFailure("unreachable", "/api/x"),
      }),
    });
    expect(screen.getByText("old")).toBeDefined();
    expect(screen.getByText(/^1 min 5 sec ago$/)).toBeDefined();
  });
});
