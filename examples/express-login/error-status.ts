import { AuthError } from "@mgmt/sdk/auth";

/** What the browser is answered: whose fault it is decides. */
export const statusOf = (error: unknown): number => {
  if (!(error instanceof AuthError)) return 502;
  switch (error.code) {
    case "auth:denied":
      return 403;
    case "auth:login_required":
      return 401;
    case "auth:state_mismatch":
    case "auth:issuer_mismatch":
    case "auth:callback_invalid":
      return 400;
    default:
      return 502;
  }
};
