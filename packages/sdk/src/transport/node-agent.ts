import http from "node:http";
import { throwNotLoaded } from "../errors/not-loaded.js";

/**
 * Creates an agent that connects directly or through a proxy. Through a proxy, `http:` requests are forwarded and
 * `https:` requests are tunneled.
 */
export const createAgent = async (
  url: string,
  proxy: string,
  options: http.AgentOptions,
): Promise<http.Agent> => {
  const isUnencrypted = url.startsWith("http:");
  if (proxy === "") {
    if (isUnencrypted) return new http.Agent(options);
    const { default: https } = await import("node:https");
    return new https.Agent(options);
  }
  const { HttpProxyAgent, HttpsProxyAgent } = await import("./proxy-agents.js").catch(throwNotLoaded);
  return new (isUnencrypted ? HttpProxyAgent : HttpsProxyAgent)(proxy, options);
};
