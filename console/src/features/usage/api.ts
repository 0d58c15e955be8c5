// Sums of the roll-ups.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";
import type { Range } from "./range";
import type { Group } from "./search";

export type Sums = Schema<"Sums">;
export type Series = Schema<"Timeseries">;
export type BreakdownItem = Schema<"BreakdownItem">;

/** Which calls are summed up. */
export interface Question {
  range: Range;
  scope: "self" | "all";
  filter: Readonly<Record<string, string | number>>;
}

const queryOf = ({ range, scope, filter }: Question) => ({
  from: range.from,
  to: range.to,
  scope,
  ...filter,
});

export const summaryQuery = (question: Question) =>
  queryOptions({
    queryKey: ["usage", "summary", question],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      dataOf(
        api.GET("/api/stats/summary", { params: { query: queryOf(question) as never }, signal }),
      ),
  });

/** Sums over time, of everything together or of each group. */
export const seriesQuery = (question: Question, group_by: Group | undefined) =>
  queryOptions({
    queryKey: ["usage", "series", question, group_by],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const query = {
        ...queryOf(question),
        step_s: question.range.step_s,
        ...(group_by === undefined ? {} : { group_by }),
      };
      return dataOf(
        api.GET("/api/stats/timeseries", { params: { query: query as never }, signal }),
      );
    },
  });

const MOST_KEYS = 1_000;

export const breakdownQuery = (question: Question, by: Group) =>
  queryOptions({
    queryKey: ["usage", "breakdown", question, by],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => {
      const query = { ...queryOf(question), by, limit: MOST_KEYS };
      return dataOf(api.GET("/api/stats/breakdown", { params: { query: query as never }, signal }));
    },
  });
