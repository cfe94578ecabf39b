import { InvalidArgumentError } from "../errors/local-errors.js";
import { throwNotLoaded } from "../errors/not-loaded.js";
import { isLoopbackHostname } from "../checks/loopback.js";

/**
 * Throws `InvalidArgumentError` unless `proxy` is an absolute HTTP URL. The message omits the URL, which may contain a
 * password.
 */
export const assertProxyUrl = (proxy: string, options: { hint?: string } = {}): void => {
  // The parser also takes one slash or none, backslashes, and line breaks.
  if (/^\s*https?:\/\/[^\s\\]+\s*$/i.test(proxy) && URL.canParse(proxy)) return;
  throw new InvalidArgumentError(
    "proxy",
    "must be an absolute URL that begins with http:// or https://",
    options,
  );
};

/**
 * Returns the URL of the proxy that `nodeTransport` uses for a request, or an empty string for a direct connection. It may
 * contain a password.
 *
 * @param proxy the option `proxy` of the transport. Default: as in the environment.
 * Throws `InvalidArgumentError` for a proxy in the environment that is not an HTTP URL.
 */
export const proxyFor = async (url: string, proxy?: string | false): Promise<string> => {
  if (proxy !== undefined) return proxy || "";
  // Most machines set no proxy, so they skip loading the parser.
  if (!Object.keys(process.env).some((name) => /^(https?|all)_proxy$/i.test(name))) return "";
  if (isLoopbackHostname(new URL(url).hostname)) return "";
  const { getProxyForUrl } = await import("proxy-from-env").catch(throwNotLoaded);
  const proxyUrl = getProxyForUrl(url);
  if (proxyUrl)
    assertProxyUrl(proxyUrl, {
      hint: "It is that of HTTPS_PROXY, HTTP_PROXY or ALL_PROXY. Nothing was sent.",
    });
  return proxyUrl;
};
