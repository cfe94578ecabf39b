import type { Context, GlobalFlags } from "../../input/context.js";
import { parseJwtExpiry, resolveToken } from "../../credentials/token-source.js";
import { missingTokenError } from "../../errors/access-errors.js";
import { isDevAccess, resolveAccess } from "../../profiles/resolve-access.js";
import {
  assertHasDestination,
  formatWithSecrets,
  printsNewSecrets,
  resolveSecretDestination,
} from "../../secrets/secret-destination.js";
import type { SecretFlags } from "../../secrets/secret-flags.js";
import { openSecretOutput } from "../../secrets/secret-output.js";
import { stripUrlCredentials } from "../../text/strip-url-credentials.js";

/** What `mgmt auth token --output json` prints. */
export interface PrintedToken {
  readonly token: string;
  /** When it expires. ISO 8601; null if it is not known. */
  readonly endsAt: string | null;
  /** URL of the service. */
  readonly baseUrl: string | null;
}

/** Prints the token that commands send, refreshed first if it is about to expire. */
export const runAuthToken = async (
  flags: GlobalFlags,
  secretFlags: SecretFlags,
  context: Context,
): Promise<void> => {
  const destination = resolveSecretDestination(secretFlags, context);
  assertHasDestination("The token", destination);
  const access = await resolveAccess(flags, context);
  const { baseUrl, identity } = access;
  if (!identity) throw missingTokenError(baseUrl?.value, isDevAccess(access));
  const tokenSource = await resolveToken(identity.value, context);
  const token = typeof tokenSource === "string" ? tokenSource : await tokenSource();
  const { output } = context;
  const expiryMs = parseJwtExpiry(token);
  const endsAt = expiryMs === undefined ? null : new Date(expiryMs).toISOString();
  const printedToken: PrintedToken = {
    token,
    endsAt,
    baseUrl: baseUrl ? stripUrlCredentials(baseUrl.value) : null,
  };
  output.format = formatWithSecrets(secretFlags, output.format);
  const secretOutput = await openSecretOutput({ paths: ["token"], issued: true }, destination, context);
  try {
    const deliveredToken = await secretOutput.deliver(printedToken);
    // A format that the profile stores must not break `$(mgmt auth token)`.
    const printsBareToken = flags.output === undefined || output.format === "table";
    if (!printsBareToken) await output.writeResult(deliveredToken);
    else if (printsNewSecrets(destination)) output.writeExact(token);
  } finally {
    await secretOutput.close();
  }
};
