// Roles and states as the interface numbers them, and who may manage whom.

import type { User } from "./api";

export const ROLES = [1, 10, 100] as const;

const ROLE_TEXT = {
  1: "users.role.user",
  10: "users.role.administrator",
  100: "users.role.root",
} as const;

const ROOT = 100;
export const ENABLED = 1;

/** The text key of a role; an unknown number is treated as the least. */
export function roleText(role: number) {
  return ROLE_TEXT[ROLES.find((each) => each === role) ?? 1];
}

/** Nobody manages somebody of their own level or above; root manages everybody. */
export function mayManage(actor: Pick<User, "role">, target: Pick<User, "role">): boolean {
  return actor.role >= ROOT || actor.role > target.role;
}

/** The roles that somebody may give: those below their own, and any for root. */
export function rolesToGive(actor: Pick<User, "role">): (typeof ROLES)[number][] {
  return ROLES.filter((role) => actor.role >= ROOT || role < actor.role);
}
