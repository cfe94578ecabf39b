import type { IncomingMessage } from "node:http";
import { isLoopbackHost } from "./loopback.js";

/**
 * Reports whether the `Host` header names this server. Only servers on loopback check it, to protect against
 * DNS rebinding by malicious websites. `allowed` lists additional hosts, as `name:port`.
 */
export const isOwnHost = (
  request: IncomingMessage,
  server: { host: string; port: number; allowed: readonly string[] },
): boolean => {
  if (!isLoopbackHost(server.host)) return true;
  const named = request.headers.host?.toLowerCase();
  // Clients omit the default port of the scheme.
  const port = server.port === 80 ? "" : `:${String(server.port)}`;
  const own = ["127.0.0.1", "localhost", "[::1]"].map((name) => name + port);
  return named !== undefined && (own.includes(named) || server.allowed.includes(named));
};

/** Reports whether a page of another origin sent the request. */
export const isForeignOrigin = (request: IncomingMessage): boolean => {
  const { origin, host } = request.headers;
  return origin !== undefined && origin !== `http://${host ?? ""}` && origin !== `https://${host ?? ""}`;
};
