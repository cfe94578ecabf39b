import { AuthError } from "@mgmt/sdk/auth";

/** Maps an error to an HTTP status: 4xx if the user can fix it, 502 if the service failed. */
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
