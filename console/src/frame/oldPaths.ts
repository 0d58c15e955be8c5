// Addresses that people know from other gateways, and the pages that answer to them here.

const OLD_PATHS = {
  "/console/token": "/console/keys",
  "/console/log": "/console/logs",
  "/console/channel": "/console/channels",
  "/console/user": "/console/users",
  "/console/redemption": "/console/codes",
  "/console/topup": "/console/wallet",
  "/console/personal": "/console/account",
  "/console/setting": "/console/settings",
} as const;

/** The page that a known old address stands for. */
export function newPathOf(path: string): (typeof OLD_PATHS)[keyof typeof OLD_PATHS] | undefined {
  const known = path.replace(/\/$/, "");
  return known in OLD_PATHS ? OLD_PATHS[known as keyof typeof OLD_PATHS] : undefined;
}
