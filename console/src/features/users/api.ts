// What the user pages ask of the gateway.

import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type User = Schema<"User">;
export type NewUser = Schema<"NewUserInput">;
export type UserChange = Schema<"UserUpdate">;

export const USERS = "users";

/** Which users are listed. */
export interface UserFilter {
  search?: string | undefined;
  role?: number | undefined;
  status?: number | undefined;
  group?: string | undefined;
  /** `username`, `-last_login_at` … */
  sort?: string | undefined;
}

export function listUsers(filter: UserFilter, p: number, page_size: number, signal?: AbortSignal) {
  const query = {
    p,
    page_size,
    search: filter.search ?? null,
    role: filter.role ?? null,
    status: filter.status ?? null,
    group: filter.group ?? null,
    sort: filter.sort ?? null,
  };
  return dataOf(api.GET("/api/user/", { params: { query }, signal: signal ?? null }));
}

export const usersQuery = (filter: UserFilter, p: number, page_size: number) =>
  queryOptions({
    queryKey: [USERS, "list", filter, p, page_size],
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => listUsers(filter, p, page_size, signal),
  });

/** How many there are without a filter, for "0 of 1,204 match". */
export const userTotalQuery = queryOptions({
  queryKey: [USERS, "total"],
  queryFn: async ({ signal }) => (await listUsers({}, 1, 1, signal)).total,
});

export function readUser(id: number, signal?: AbortSignal): Promise<User> {
  const params = { path: { id } };
  return dataOf(api.GET("/api/user/{id}", { params, signal: signal ?? null }));
}

export const userQuery = (id: number) =>
  queryOptions({
    queryKey: [USERS, "one", id],
    queryFn: ({ signal }) => readUser(id, signal),
  });

export const groupNamesQuery = queryOptions({
  queryKey: [USERS, "groups"],
  staleTime: 30_000,
  queryFn: async ({ signal }) => {
    const groups = await dataOf(api.GET("/api/group/", { signal }));
    return groups.map(({ name }) => name);
  },
});

export function createUser(body: NewUser): Promise<User> {
  return dataOf(api.POST("/api/user/", { body }));
}

export function changeUser(body: UserChange): Promise<User> {
  return dataOf(api.PUT("/api/user/", { body }));
}

export function setEnabled(id: number, isEnabled: boolean) {
  const action = isEnabled ? "enable" : "disable";
  return dataOf(api.POST("/api/user/manage", { body: { id, action } }));
}

/** Removes the authenticator app and the passkeys. */
export function resetFactor(id: number) {
  return dataOf(api.POST("/api/user/manage", { body: { id, action: "reset_2fa" } }));
}

/** Adds quota units to the balance, or takes them away where `value` is below zero. */
export function adjustBalance(id: number, value: number, reason: string) {
  return dataOf(api.POST("/api/user/manage", { body: { id, action: "add_quota", value, reason } }));
}

export function deleteUser(id: number) {
  return dataOf(api.DELETE("/api/user/{id}", { params: { path: { id } } }));
}
