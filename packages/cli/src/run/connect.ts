import { noBaseUrl, noToken, usageError } from "../errors.js";
import type { HttpMethod } from "../generated/operation-id.js";
import { findPlace, type Identity } from "../profiles/place.js";
import type { LoginToken } from "../auth/login-token.js";
import type { Context, GlobalFlags } from "./context.js";

export interface Call {
  method: HttpMethod;
  path: string;
  pathParams: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** Sends one request and answers the body as it came; undefined for an empty one. */
export type Send = (call: Call, timeoutMs?: number) => Promise<unknown>;

/** A client of the SDK. */
export type Client = ReturnType<typeof import("../sdk.js").createClient>;

type ApprovalWait = Parameters<typeof import("../sdk.js").createClient>[0]["waitForApproval"];

/** Sends requests for the service and the caller that flags, environment or profile name. */
export const connect = async (
  flags: GlobalFlags,
  context: Context,
  waitForApproval?: ApprovalWait,
): Promise<Send> => {
  const client = await connectClient(flags, context, waitForApproval);
  return (call, timeoutMs) => client.request<unknown>(call, { signal: context.signal, timeoutMs });
};

/**
 * The service and the caller that flags, environment or profile name. The SDK's node transport is used, since the first
 * global fetch of a process is slow to start.
 */
export const connectClient = async (
  flags: GlobalFlags,
  context: Context,
  waitForApproval?: ApprovalWait,
): Promise<Client> => {
  const { version } = context;
  const { baseUrl, identity } = await findPlace(flags, context);
  if (!identity) throw noToken();
  if (!baseUrl) throw noBaseUrl();
  const token = await tokenOf(identity.value, context);

  const { createClient, InvalidArgumentError, nodeTransport } = await import("../sdk.js");
  try {
    return createClient({
      baseUrl: baseUrl.value,
      token,
      transport: nodeTransport(),
      headers: { "user-agent": `mgmt/${version}` },
      waitForApproval,
    });
  } catch (error) {
    if (!(error instanceof InvalidArgumentError) || error.argument !== "baseUrl") throw error;
    throw usageError(
      error.message.replace("baseUrl", baseUrl.from),
      "It looks like https://api.example.com or http://127.0.0.1:4300.",
    );
  }
};

/** What the SDK's client takes: the token itself, or what asks for the one of a login. */
export const tokenOf = async (
  identity: Identity,
  context: Pick<Context, "output">,
): Promise<string | LoginToken> => {
  if ("token" in identity) return identity.token;
  if (identity.profile.token !== undefined) return identity.profile.token;
  if (identity.profile.inKeyring === "token") {
    const { readKeptToken } = await import("../auth/credential-store.js");
    const token = await readKeptToken(identity);
    if (token === undefined) throw noToken();
    return token;
  }
  const { loginToken } = await import("../auth/login-token.js");
  return loginToken(identity, context);
};
