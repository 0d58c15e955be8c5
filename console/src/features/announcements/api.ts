// Announcements: what is shown to users, from when until when.

import { queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "@/api/management";

export type Notice = Schema<"Notice">;

export const noticesQuery = queryOptions({
  queryKey: ["announcements"],
  queryFn: ({ signal }) => dataOf(api.GET("/api/notice/all", { signal })),
});

export function createNotice(body: Schema<"NewNotice">) {
  return dataOf(api.POST("/api/notice/", { body }));
}

export function updateNotice(body: Schema<"NoticeChanges">) {
  return dataOf(api.PUT("/api/notice/", { body }));
}

export function deleteNotice(id: number) {
  return dataOf(api.DELETE("/api/notice/{id}", { params: { path: { id } } }));
}
