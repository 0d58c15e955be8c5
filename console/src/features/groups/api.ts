// What the groups page asks of the gateway.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type UserGroup = Schema<"Group">;
type NewGroup = Schema<"NewGroupInput">;
type GroupChange = Schema<"GroupUpdate">;

export const groupsQuery = queryOptions({
  queryKey: ["groups"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/group/", { signal })),
});

export function createGroup(body: NewGroup): Promise<UserGroup> {
  return dataOf(api.POST("/api/group/", { body }));
}

export function changeGroup(body: GroupChange): Promise<UserGroup> {
  return dataOf(api.PUT("/api/group/", { body }));
}

export function deleteGroup(id: number) {
  return dataOf(api.DELETE("/api/group/{id}", { params: { path: { id } } }));
}
