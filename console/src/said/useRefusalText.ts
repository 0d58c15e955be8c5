// Refusals in the reader's language. The gateway says them in English, each with a stable code: elsewhere the code
// is said, with the gateway's words behind it where the code alone says too little.

import { useTranslation } from "react-i18next";
import { RequestFailure } from "@/api/failure";
import { useLaterTexts } from "@/ui/useLaterTexts";

/** Codes that say everything. */
export const WHOLE = {
  account_disabled: "said.refusal.accountDisabled",
  code_disabled: "said.refusal.codeDisabled",
  code_expired: "said.refusal.codeExpired",
  code_unknown: "said.refusal.codeUnknown",
  code_used: "said.refusal.codeUsed",
  code_wrong: "said.refusal.codeWrong",
  declared: "said.refusal.declared",
  email_domain: "said.refusal.emailDomain",
  flow_expired: "said.refusal.flowExpired",
  foreign_origin: "said.refusal.foreignOrigin",
  insufficient_quota: "said.refusal.insufficientQuota",
  insufficient_scope: "said.refusal.insufficientScope",
  internal_error: "said.refusal.internalError",
  last_root: "said.refusal.lastRoot",
  last_sign_in: "said.refusal.lastSignIn",
  login_failed: "said.refusal.loginFailed",
  not_implemented: "said.refusal.notImplemented",
  passkey_refused: "said.refusal.passkeyRefused",
  passkeys_unavailable: "said.refusal.passkeysUnavailable",
  password_missing: "said.refusal.passwordMissing",
  password_wrong: "said.refusal.passwordWrong",
  public_url_missing: "said.refusal.publicUrl",
  request_too_large: "said.refusal.requestTooLarge",
  session_required: "said.refusal.sessionRequired",
  setup_code_wrong: "said.refusal.setupCodeWrong",
  step_up_required: "said.refusal.stepUp",
  unauthorized: "said.refusal.unauthorized",
} as const;

/** Codes that need the gateway's words beside them. */
export const IN_PART = {
  conflict: "said.refusal.conflict",
  in_use: "said.refusal.inUse",
  invalid_request: "said.refusal.invalidRequest",
  invalid_signature: "said.refusal.invalidSignature",
  method_not_allowed: "said.refusal.notPossible",
  not_found: "said.refusal.notFound",
  permission_denied: "said.refusal.permissionDenied",
  rate_limit_exceeded: "said.refusal.rateLimit",
  setting_locked: "said.refusal.settingLocked",
  unavailable: "said.refusal.unavailable",
  upstream_error: "said.refusal.upstreamError",
} as const;

type Known = keyof typeof WHOLE | keyof typeof IN_PART;

/** What the gateway said about a failure; nothing where it said nothing. */
export function useRefusalText(failure: unknown): string | undefined {
  const { t, i18n } = useTranslation();
  const { code = "", detail } = failure instanceof RequestFailure ? failure.context : {};
  const known = code in WHOLE || code in IN_PART ? (code as Known) : undefined;
  const isWanted = known !== undefined && i18n.language !== "en";
  const texts = useLaterTexts(isWanted);
  if (!isWanted || texts !== "success") {
    return detail;
  }
  const said = t({ ...WHOLE, ...IN_PART }[known]);
  return known in WHOLE || detail === undefined ? said : `${said} ${detail}`;
}
