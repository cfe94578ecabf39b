/**
 * The agents for proxies, which are loaded together. Bundlers find the names that a CommonJS package exports in an import
 * declaration, but not in an `import()`.
 */
export { HttpProxyAgent } from "http-proxy-agent";
export { HttpsProxyAgent } from "https-proxy-agent";
