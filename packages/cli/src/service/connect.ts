import type { ClientOptions, MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../context.js";
import type { LoginToken } from "../credentials/login-token.js";
import { tokenOf } from "../credentials/token-source.js";
import { noBaseUrl, noToken } from "../errors/access-errors.js";
import { badAddress } from "../errors/usage-errors.js";
import type { Sourced } from "../profiles/active-profile.js";
import { type Access, resolveAccess } from "../profiles/resolve-access.js";
import { announceDelays, type Transport } from "./announce-delays.js";
import { debugRequests } from "./debug-requests.js";

/** How requests are sent. */
type SendOptions = Pick<ClientOptions, "waitForApproval" | "middleware">;

/** Returns a client for the service and the credential that flags, environment, link or profile select. */
export const connect = async (
  flags: GlobalFlags,
  context: Context,
  options?: SendOptions,
): Promise<MgmtClient> => connectTo(await resolveAccess(flags, context), context, options);

/** Does the same for access that is resolved already. */
export const connectTo = async (
  { baseUrl, identity }: Pick<Access, "baseUrl" | "identity">,
  context: Context,
  options?: SendOptions,
): Promise<MgmtClient> => {
  if (!identity) throw noToken(baseUrl?.value);
  if (!baseUrl) throw noBaseUrl();
  const { value } = identity;
  const token = await tokenOf(value, context);
  if ("token" in value || value.profile.controlSecretFile === undefined)
    return clientFor(baseUrl, token, context, options);
  const { sendToOwnService } = await import("./own-service.js");
  return clientFor(baseUrl, token, context, options, (transport) =>
    sendToOwnService(transport, value, context),
  );
};

/** Returns a client without a credential for requests that are not sent. */
export const connectWithoutCredential = async (
  flags: GlobalFlags,
  context: Context,
  options: SendOptions,
): Promise<MgmtClient> => {
  const { baseUrl } = await resolveAccess(flags, context);
  if (!baseUrl) throw noBaseUrl();
  return clientFor(baseUrl, false, context, options);
};

/**
 * Returns a client for an address. It uses the SDK's node transport, because the first global `fetch` of a process is slow.
 * Throws `usage:invalid` for an invalid address, and `connection:insecure`.
 *
 * @param wrap wraps the transport. Default: the transport stays as it is.
 */
export const clientFor = async (
  baseUrl: Sourced<string>,
  token: string | LoginToken | false,
  { version, output, encryption }: Pick<Context, "version" | "output" | "encryption">,
  options?: SendOptions,
  wrap: (transport: Transport) => Transport = (transport) => transport,
): Promise<MgmtClient> => {
  const { createClient, InvalidArgumentError, nodeTransport } = await import("./sdk.js");
  let client: MgmtClient;
  try {
    client = createClient({
      baseUrl: baseUrl.value,
      // The check below has the words of the command line.
      allowInsecureHttp: true,
      token,
      transport: announceDelays(wrap(debugRequests(nodeTransport(), output)), output),
      headers: { "user-agent": `mgmt/${version}` },
      ...options,
    });
  } catch (error) {
    if (!(error instanceof InvalidArgumentError) || error.argument !== "baseUrl") throw error;
    throw badAddress(baseUrl.from, error.problem);
  }
  if (token !== false) await encryption.require(baseUrl);
  return client;
};
