import { InvalidArgumentError } from "../errors/local-errors.js";
import type { Call, RequestOptions } from "./call.js";
import { readHeaders } from "./headers.js";
import { fillPath } from "./path.js";

/** An encoded request that lacks only its credential and its signal. */
export interface Message {
  method: string;
  /** Path template as in the contract. */
  path: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** Encodes a call as an HTTP request. Throws `InvalidArgumentError` for what a request cannot carry. */
export const encode = (
  settings: { baseUrl: string; headers: Record<string, string> },
  call: Call,
  options: RequestOptions = {},
): Message => {
  const { method, path } = call;
  // Appended to the host name, anything else could name another host.
  if (!path.startsWith("/")) throw new InvalidArgumentError("path", "must start with a slash");
  const body = encodeBody(call.body);
  if (method === "GET" && body) throw new InvalidArgumentError("body", "cannot be sent with GET");
  return {
    method,
    path,
    url: settings.baseUrl + fillPath(path, call.pathParams) + encodeQuery(call.query),
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...settings.headers,
      ...readHeaders(options.headers),
    },
    body,
  };
};

const encodeQuery = (query: object = {}): string => {
  let pairs: URLSearchParams | undefined;
  for (const [name, value] of Object.entries(query) as [string, unknown][]) {
    if (value === undefined || value === null) continue;
    if (["object", "function", "symbol"].includes(typeof value)) {
      throw new InvalidArgumentError(name, "must be a string, a number or a boolean");
    }
    pairs ??= new URLSearchParams();
    pairs.append(name, String(value));
  }
  return pairs ? `?${pairs}` : "";
};

const encodeBody = (body: unknown): string | undefined => {
  try {
    return JSON.stringify(body);
  } catch (error) {
    throw new InvalidArgumentError("body", "cannot be serialized as JSON", { cause: error });
  }
};
