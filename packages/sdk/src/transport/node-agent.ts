import http from "node:http";
import { InvalidArgumentError } from "../errors/local-errors.js";
import { isLoopbackHostname } from "./loopback.js";

/** Throws `InvalidArgumentError`; the address is not quoted, for it may carry a password. */
export const checkProxy = (proxy: string, options: { hint?: string } = {}): void => {
  if (URL.canParse(proxy) && /^https?:/.test(new URL(proxy).protocol)) return;
  throw new InvalidArgumentError(
    "proxy",
    "must be an absolute URL that begins with http:// or https://",
    options,
  );
};

/** Address of the proxy that a request goes through; empty: none. */
export const proxyFor = async (url: string, proxy: string | false | undefined): Promise<string> => {
  if (proxy !== undefined) return proxy || "";
  // Most machines have none, and need not load what reads the rules.
  if (!Object.keys(process.env).some((name) => /^(https?|all)_proxy$/i.test(name))) return "";
  if (isLoopbackHostname(new URL(url).hostname)) return "";
  const { getProxyForUrl } = await import("proxy-from-env");
  const found = getProxyForUrl(url);
  if (found)
    checkProxy(found, { hint: "It is that of HTTPS_PROXY, HTTP_PROXY or ALL_PROXY. Nothing was sent." });
  return found;
};

/** Keeps connections open, directly or through a proxy: as it is for `http:`, through a tunnel for `https:`. */
export const makeAgent = async (
  url: string,
  proxy: string,
  options: http.AgentOptions,
): Promise<http.Agent> => {
  const isPlain = url.startsWith("http:");
  if (proxy === "") {
    if (isPlain) return new http.Agent(options);
    const { default: https } = await import("node:https");
    return new https.Agent(options);
  }
  if (isPlain) {
    const { HttpProxyAgent } = await import("http-proxy-agent");
    return new HttpProxyAgent(proxy, options);
  }
  const { HttpsProxyAgent } = await import("https-proxy-agent");
  return new HttpsProxyAgent(proxy, options);
};
