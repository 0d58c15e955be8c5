// What the groups are called.

export const GROUP_TEXTS = {
  model: "usage.group.model",
  token: "usage.group.token",
  endpoint: "usage.group.endpoint",
  user: "usage.group.user",
  channel: "usage.group.channel",
} as const;
