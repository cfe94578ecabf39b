import type { Context } from "../input/context.js";
import { controlRefused, unreachableControl } from "../errors/run-errors.js";
import { valueAt } from "../json/json-path.js";
import { debugRequests } from "../transport/debug-requests.js";
import { nodeTransport } from "../sdk/sdk.js";

/** Where the control surface of a reference server is, and its secret. */
export interface Control {
  readonly url: string;
  readonly secret: string;
}

const timeoutMs = 30_000;

/** Sends a request to a control surface. Throws `control:unreachable`, `control:refused` or `connection:insecure`. */
export const callControl = async (
  { url, secret }: Control,
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  fields: object | undefined,
  { output, insecureAddresses, signal: stopped }: Pick<Context, "output" | "insecureAddresses" | "signal">,
): Promise<unknown> => {
  await insecureAddresses.check({ value: url, from: "the control URL" });
  const headers = { "x-mgmt-control-secret": secret, "content-type": "application/json" };
  const body = fields && JSON.stringify(fields);
  const signal = AbortSignal.any([stopped, AbortSignal.timeout(timeoutMs)]);
  const response = await debugRequests(nodeTransport(), output)
    .send({ method, url: `${url}${path}`, headers, body, signal })
    .catch((error: unknown) => {
      stopped.throwIfAborted();
      throw unreachableControl(url, error);
    });
  const value = parse(response.body);
  if (response.status >= 300) {
    const [message, hint] = ["message", "hint"].map((name) => valueAt(value, ["error", name]));
    throw controlRefused(response.status, { message, hint });
  }
  return value;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
