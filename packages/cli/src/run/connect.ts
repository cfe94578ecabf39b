import { noBaseUrl, noToken, usageError } from "../errors.js";
import type { Context, GlobalFlags } from "./context.js";

export interface Call {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  pathParams: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** Sends one request and answers the body as it came; undefined for an empty one. */
export type Send = (call: Call, timeoutMs?: number) => Promise<unknown>;

/**
 * Where the service is and who is calling: a flag wins over the environment. The SDK's node transport is used, since the
 * first global fetch of a process is slow to start.
 */
export const connect = async (
  flags: GlobalFlags,
  { version, env, sources, signal }: Context,
): Promise<Send> => {
  const token =
    flags.tokenFile === undefined ? tokenOf(env) : await sources.readSecret(flags.tokenFile, "--token-file");
  if (token === undefined) throw noToken();
  const baseUrl = flags.baseUrl ?? env["MGMT_BASE_URL"]?.trim();
  if (!baseUrl) throw noBaseUrl();
  const from = flags.baseUrl === undefined ? "MGMT_BASE_URL" : "--base-url";

  const { createClient, InvalidArgumentError, nodeTransport } = await import("../sdk.js");
  try {
    const client = createClient({
      baseUrl,
      token,
      transport: nodeTransport(),
      headers: { "user-agent": `mgmt/${version}` },
    });
    return (call, timeoutMs) => client.request<unknown>(call, { signal, timeoutMs });
  } catch (error) {
    if (!(error instanceof InvalidArgumentError) || error.argument !== "baseUrl") throw error;
    throw usageError(
      error.message.replace("baseUrl", from),
      "It looks like https://api.example.com or http://127.0.0.1:4300.",
    );
  }
};

/** A token with a line break in it would be refused as a header later, without saying where it came from. */
const tokenOf = (env: NodeJS.ProcessEnv): string | undefined => {
  const token = env["MGMT_TOKEN"]?.trim();
  if (!token) return undefined;
  if (/\s/.test(token))
    throw usageError("MGMT_TOKEN holds white space; it must be the token and nothing else");
  return token;
};
