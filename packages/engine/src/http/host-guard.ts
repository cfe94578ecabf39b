import type { IncomingMessage } from "node:http";
import { isOriginOfHost } from "../values/host-origin.js";
import { isLoopbackHost } from "./loopback.js";

/**
 * Returns a function that reports whether the `Host` header names this server. Only servers on loopback check it, to protect
 * against DNS rebinding by malicious websites. `allowed` lists additional hosts, as `name:port`.
 */
export const createHostGuard = (server: {
  host: string;
  port: number;
  allowedHosts: readonly string[];
}): ((request: IncomingMessage) => boolean) => {
  if (!isLoopbackHost(server.host)) return () => true;
  // Clients omit the default port of the scheme.
  const port = server.port === 80 ? "" : `:${String(server.port)}`;
  const loopbackHosts = ["127.0.0.1", "localhost", "[::1]"].map((name) => name + port);
  const allowedHosts = new Set([...loopbackHosts, ...server.allowedHosts]);
  return ({ headers: { host } }) => host !== undefined && allowedHosts.has(host.toLowerCase());
};

/** Reports whether a page of another origin sent the request. */
export const isForeignOrigin = (request: IncomingMessage): boolean => {
  const { origin, host } = request.headers;
  return origin !== undefined && !isOriginOfHost(origin, host);
};
