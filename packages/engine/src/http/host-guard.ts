import type { IncomingMessage } from "node:http";
import { isLoopbackHost } from "./loopback.js";

/**
 * On loopback a request must name this server as its host: else a page of a hostile site could reach it by DNS rebinding.
 * `allowed` are further hosts, as `name:port`.
 */
export const isOwnHost = (
  request: IncomingMessage,
  server: { host: string; port: number; allowed: readonly string[] },
): boolean => {
  if (!isLoopbackHost(server.host)) return true;
  const named = request.headers.host?.toLowerCase();
  // Clients leave the port of their scheme out.
  const port = server.port === 80 ? "" : `:${String(server.port)}`;
  const own = ["127.0.0.1", "localhost", "[::1]"].map((name) => name + port);
  return named !== undefined && (own.includes(named) || server.allowed.includes(named));
};

/** Whether a page of another origin sent the request. */
export const isForeignOrigin = (request: IncomingMessage): boolean => {
  const { origin, host } = request.headers;
  return origin !== undefined && origin !== `http://${host ?? ""}` && origin !== `https://${host ?? ""}`;
};
