import type { Reading } from "../transport/transport.js";
import type { Call, ContractCall } from "./call.js";
import { fillPath } from "./path.js";

/** An encoded request that lacks only its credential and its signal. */
export interface Message {
  method: string;
  /** Path template as in the contract. */
  path: string;
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
  reading?: Reading | undefined;
}

/** Encodes a call as an HTTP request. Throws for values that a request cannot carry; `encodingError` explains why. */
export const encodeCall = (
  settings: { baseUrl: string; headers: Record<string, string> },
  call: Call | ContractCall,
  reading?: Reading,
): Message => {
  const { method, path } = call;
  const body: string | undefined = JSON.stringify(call.body);
  // Appended to the host name, a path that starts with anything but a slash could name another host.
  if (!path.startsWith("/") || (method === "GET" && body)) throw new TypeError();
  return {
    method,
    path,
    url: settings.baseUrl + fillPath(path, call.pathParams) + encodeQuery(call.query),
    headers: {
      accept: "application/json",
      ...(body && { "content-type": "application/json" }),
      ...settings.headers,
    },
    body,
    reading,
  };
};

const encodeQuery = (query: object = {}): string => {
  const entries = selectDefinedEntries(query);
  return entries[0] ? `?${new URLSearchParams(entries)}` : "";
};

/** Returns the entries of an object whose value is neither null nor undefined, with the values as text. */
export const selectDefinedEntries = (values: object): [string, string][] =>
  Object.entries(values).filter(([, value]) => value !== undefined && value !== null);
