import type { Context, GlobalFlags } from "../../context.js";
import { expiryOf, tokenOf } from "../../credentials/token-source.js";
import { noToken } from "../../errors/access-errors.js";
import { resolveAccess } from "../../profiles/resolve-access.js";

/** What `mgmt auth token --output json` prints. */
export interface PrintedToken {
  readonly token: string;
  /** When it expires. ISO 8601; null if it is not known. */
  readonly endsAt: string | null;
  /** Address of the service. */
  readonly baseUrl: string | null;
}

/** Prints the token that commands send, refreshed first if it is about to expire. */
export const runAuthToken = async (flags: GlobalFlags, context: Context): Promise<void> => {
  const { baseUrl, identity } = await resolveAccess(flags, context);
  if (!identity) throw noToken(baseUrl?.value);
  const source = await tokenOf(identity.value, context);
  const token = typeof source === "string" ? source : await source();
  const { output } = context;
  // A format that the profile stores must not break `$(mgmt auth token)`.
  if (flags.output === undefined || output.format === "table") return output.exact(token);
  const expiry = expiryOf(token);
  const endsAt = expiry === undefined ? null : new Date(expiry).toISOString();
  const printed: PrintedToken = { token, endsAt, baseUrl: baseUrl?.value ?? null };
  await output.result(printed);
};
