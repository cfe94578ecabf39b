import type { Context } from "../input/context.js";
import { controlRejectedError, controlUnreachableError } from "../errors/control-errors.js";
import { getAtPath } from "../json/json-path.js";
import { observeRequests } from "../transport/observe-requests.js";
import { nodeTransport } from "../sdk/sdk.js";

/** Where the control surface of a reference server is, and its secret. */
export interface ControlAccess {
  readonly url: string;
  readonly secret: string;
  /** The flag, variable, or profile that has the URL, if the user chose it. */
  readonly from?: string;
}

const controlTimeoutMs = 30_000;

/** Sends a request to a control surface. Throws `control:unreachable`, `control:refused` or `connection:insecure`. */
export const callControl = async (
  { url, secret, from }: ControlAccess,
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  fields: object | undefined,
  {
    output,
    trace,
    insecureUrls,
    signal: callerSignal,
  }: Pick<Context, "output" | "trace" | "insecureUrls" | "signal">,
): Promise<unknown> => {
  await insecureUrls.assertAllowed({ value: url, from: from ?? "the control URL" });
  const headers = { "x-mgmt-control-secret": secret, "content-type": "application/json" };
  const body = fields && JSON.stringify(fields);
  const requestSignal = AbortSignal.any([callerSignal, AbortSignal.timeout(controlTimeoutMs)]);
  const response = await observeRequests(nodeTransport(), { output, trace })
    .send({ method, url: `${url}${path}`, headers, body, signal: requestSignal })
    .catch((error: unknown) => {
      callerSignal.throwIfAborted();
      throw controlUnreachableError(url, from, error);
    });
  const value = tryParseJson(response.body);
  if (response.status >= 300) {
    const [message, hint] = ["message", "hint"].map((name) => getAtPath(value, ["error", name]));
    throw controlRejectedError(response.status, { message, hint });
  }
  return value;
};

const tryParseJson = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
};
