// The form of a user as values, and back as the smallest change that makes the user so.

import type { User, UserChange } from "./api";

export interface UserValues extends Record<string, unknown> {
  username: string;
  display_name: string;
  email: string;
  remark: string;
  group: string;
  role: string;
  password: string;
}

export function valuesOf(user: User): UserValues {
  return {
    username: user.username,
    display_name: user.display_name,
    email: user.email ?? "",
    remark: user.remark,
    group: user.group,
    role: String(user.role),
    password: "",
  };
}

/** What differs, beside the id; an emptied address is removed, an empty password is unchanged. */
export function changeOf(user: User, values: UserValues): UserChange {
  const change: UserChange = { id: user.id };
  for (const field of ["username", "display_name", "remark", "group"] as const) {
    if (values[field] !== user[field]) {
      change[field] = values[field];
    }
  }
  if (values.email.trim() !== (user.email ?? "")) {
    change.email = values.email.trim() || null;
  }
  if (Number(values.role) !== user.role) {
    change.role = Number(values.role);
  }
  if (values.password !== "") {
    change.password = values.password;
  }
  return change;
}
