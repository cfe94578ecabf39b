import type { ClientOptions, MgmtClient, Timers } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../input/context.js";
import type { LoginToken } from "../credentials/login-token.js";
import { resolveToken } from "../credentials/token-source.js";
import { missingBaseUrlError, missingTokenError } from "../errors/access-errors.js";
import { invalidUrlError } from "../errors/usage-errors.js";
import type { ValueWithSource } from "../profiles/active-profile.js";
import { isDevAccess, type ServiceAccess, resolveAccess } from "../profiles/resolve-access.js";
import type { Transport } from "../sdk/sdk.js";
import { announceRetry, addSlownessNotices } from "../transport/announce-delays.js";
import { observeRequests } from "../transport/observe-requests.js";

/** How requests are sent. */
type SendOptions = Pick<ClientOptions, "waitForApproval" | "middleware">;

/** Returns a client for the service and the credential that flags, environment, link or profile select. */
export const connect = async (
  flags: GlobalFlags,
  context: Context,
  options?: SendOptions,
): Promise<MgmtClient> => connectWithAccess(await resolveAccess(flags, context), context, options);

/** Returns a client for access that is already resolved. */
export const connectWithAccess = async (
  access: ServiceAccess,
  context: Context,
  options?: SendOptions,
): Promise<MgmtClient> => {
  const { baseUrl, identity } = access;
  if (!identity) throw missingTokenError(baseUrl?.value, isDevAccess(access));
  if (!baseUrl) throw missingBaseUrlError();
  const { value } = identity;
  const token = await resolveToken(value, context);
  if ("token" in value || value.profile.controlSecretFile === undefined)
    return createClientFor(baseUrl, token, context, options);
  const { requireServiceProof } = await import("../credentials/dev-service-proof.js");
  return createClientFor(baseUrl, token, context, options, (transport, baseTransport) =>
    requireServiceProof(transport, value, context, baseTransport),
  );
};

/** Returns a client without a credential for requests that are not sent. */
export const connectWithoutCredential = async (
  flags: GlobalFlags,
  context: Context,
  options: SendOptions,
): Promise<MgmtClient> => {
  const { baseUrl } = await resolveAccess(flags, context);
  if (!baseUrl) throw missingBaseUrlError();
  return createClientFor(baseUrl, false, context, options);
};

/** Announces what a link selects before the first request or, at a terminal, before the first one that may change something. */
const announceBeforeRequests = (transport: Transport, output: Context["output"]): Transport => ({
  send: async (request) => {
    const { implicitSettings } = output;
    await (request.method === "GET"
      ? implicitSettings.announceForRead()
      : implicitSettings.announceForChange());
    return transport.send(request);
  },
});

/** The timers of `globalThis`, whose `performance` takes long to load on Node.js 20. The build replaces the name by itself. */
const timers: Timers = {
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  // A client passes only results of `setTimeout`.
  clearTimeout: (timer) => clearTimeout(timer as NodeJS.Timeout),
  performance: { now: () => performance.now() },
};

/**
 * Returns a client for a URL. It uses the SDK's node transport, because the first global `fetch` of a process is slow.
 * Throws `usage:invalid` for an invalid URL, and `connection:insecure`.
 *
 * @param wrapTransport wraps the transport that `--debug` reports. Its second argument is the transport that `--debug` does not
 *   report. Default: the transport is not wrapped.
 */
export const createClientFor = async (
  baseUrl: ValueWithSource<string>,
  token: string | LoginToken | false,
  {
    version,
    output,
    trace,
    insecureUrls,
    changeTracker,
  }: Pick<Context, "version" | "output" | "trace" | "insecureUrls" | "changeTracker">,
  options?: SendOptions,
  wrapTransport: (transport: Transport, baseTransport: Transport) => Transport = (transport) => transport,
): Promise<MgmtClient> => {
  const { createClient, InvalidArgumentError, nodeTransport } = await import("../sdk/sdk.js");
  let client: MgmtClient;
  const baseTransport = nodeTransport();
  const transport = wrapTransport(observeRequests(baseTransport, { output, trace }), baseTransport);
  try {
    client = createClient({
      baseUrl: baseUrl.value,
      // The check below has the words of the command line.
      allowInsecureHttp: true,
      token,
      transport: announceBeforeRequests(
        changeTracker.trackTransport(addSlownessNotices(transport, output)),
        output,
      ),
      onRetry: (retry) => announceRetry(retry, output),
      headers: { "user-agent": `mgmt/${version}` },
      timers,
      ...options,
    });
  } catch (error) {
    if (!(error instanceof InvalidArgumentError) || error.argument !== "baseUrl") throw error;
    throw invalidUrlError(baseUrl.from, error.problem);
  }
  output.implicitSettings.findProjectName = async (id) =>
    (await client.projects.get(id).catch(() => undefined))?.name;
  if (token !== false) await insecureUrls.assertAllowed(baseUrl);
  return client;
};
