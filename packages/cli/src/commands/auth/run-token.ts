import type { Context, GlobalFlags } from "../../input/context.js";
import { expiryOf, tokenOf } from "../../credentials/token-source.js";
import { noToken } from "../../errors/access-errors.js";
import { resolveAccess } from "../../profiles/resolve-access.js";
import {
  assertHasDestination,
  formatWithSecrets,
  printsNewSecrets,
  secretDestination,
} from "../../secrets/secret-destination.js";
import type { SecretFlags } from "../../secrets/secret-flags.js";
import { openSecretOutput } from "../../secrets/secret-output.js";
import { addressWithoutCredentials } from "../../text/address-without-credentials.js";

/** What `mgmt auth token --output json` prints. */
export interface PrintedToken {
  readonly token: string;
  /** When it expires. ISO 8601; null if it is not known. */
  readonly endsAt: string | null;
  /** Address of the service. */
  readonly baseUrl: string | null;
}

/** Prints the token that commands send, refreshed first if it is about to expire. */
export const runAuthToken = async (
  flags: GlobalFlags,
  secretFlags: SecretFlags,
  context: Context,
): Promise<void> => {
  const destination = secretDestination(secretFlags, context);
  assertHasDestination("The token", destination);
  const { baseUrl, identity } = await resolveAccess(flags, context);
  if (!identity) throw noToken(baseUrl?.value);
  const source = await tokenOf(identity.value, context);
  const token = typeof source === "string" ? source : await source();
  const { output } = context;
  const expiry = expiryOf(token);
  const endsAt = expiry === undefined ? null : new Date(expiry).toISOString();
  const tokenResult: PrintedToken = {
    token,
    endsAt,
    baseUrl: baseUrl ? addressWithoutCredentials(baseUrl.value) : null,
  };
  output.format = formatWithSecrets(secretFlags, output.format);
  const secretOutput = await openSecretOutput({ paths: ["token"], issued: true }, destination, context);
  try {
    const result = await secretOutput.deliver(tokenResult);
    // A format that the profile stores must not break `$(mgmt auth token)`.
    const isText = flags.output === undefined || output.format === "table";
    if (!isText) await output.result(result);
    else if (printsNewSecrets(destination)) output.exact(token);
  } finally {
    await secretOutput.end();
  }
};
