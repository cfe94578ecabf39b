import type { ClientRow } from "../store/rows.js";

/** Matches an `http` URI on loopback, and captures its scheme and host, its port, and the rest. */
const loopbackPattern =
  /^(?<schemeAndHost>http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]))(?::(?<port>[1-9]\d{0,4}))?(?<rest>[/?][^#]*)?$/;

const parseLoopbackUri = (uri: string): { schemeAndHost: string; rest: string } | undefined => {
  const groups = loopbackPattern.exec(uri)?.groups;
  if (!groups || Number(groups["port"] ?? 80) > 65_535) return undefined;
  return { schemeAndHost: groups["schemeAndHost"] ?? "", rest: groups["rest"] ?? "" };
};

/**
 * Reports whether the client may be redirected to a URI. The URI must be identical to a registered one,
 * except that public clients may use any port on loopback. See
 * https://www.rfc-editor.org/rfc/rfc8252#section-7.3.
 */
export const isAllowedRedirectUri = ({ redirectUris, secretHash }: ClientRow, uri: string): boolean => {
  if (redirectUris.includes(uri)) return true;
  const requestedLoopback = secretHash === null ? parseLoopbackUri(uri) : undefined;
  return (
    requestedLoopback !== undefined &&
    redirectUris.some((registeredUri) => {
      const registeredLoopback = parseLoopbackUri(registeredUri);
      return (
        registeredLoopback !== undefined &&
        registeredLoopback.schemeAndHost === requestedLoopback.schemeAndHost &&
        registeredLoopback.rest === requestedLoopback.rest
      );
    })
  );
};

/**
 * Matches a URI with a private-use scheme, which is a reversed domain name. See
 * https://www.rfc-editor.org/rfc/rfc8252#section-7.1.
 */
const privateUsePattern = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:\/[^#]*$/;

/**
 * Returns the reason why a URI cannot be registered, or undefined when it can. The URI must be absolute,
 * without a fragment, and use `https`, `http` on loopback, or a private-use scheme. See
 * https://www.rfc-editor.org/rfc/rfc6749#section-3.1.2 and
 * https://www.rfc-editor.org/rfc/rfc9700#section-2.1.
 */
export const findRegistrationProblem = (uri: string): string | undefined => {
  // Reject characters that browsers would rewrite or that would break the `Location` header, because the
  // browser would then go to a different URI than the registered one.
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes("\\")) return "has a character that no URI has";
  if (uri.includes("#")) return "has a fragment";
  if (privateUsePattern.test(uri)) return undefined;
  if (!/^https?:\/\/[^/?]/.test(uri) || !URL.canParse(uri)) {
    return "is neither https, nor http on loopback, nor of a scheme like com.example.app:/callback";
  }
  const { protocol, username, password } = new URL(uri);
  if (username !== "" || password !== "") return "carries user information";
  if (protocol === "https:" || parseLoopbackUri(uri)) return undefined;
  return "is http, which only localhost, 127.0.0.1 and [::1] may be";
};

/** Returns the origin of a redirect URI, or its private-use scheme, to show to the user. */
export const formatRedirectDestination = (redirectUri: string): string =>
  /^https?:/.test(redirectUri) ? new URL(redirectUri).origin : `${redirectUri.split(":", 1)[0] ?? ""}:`;

/**
 * Returns the sources for the `form-action` directive. Browsers apply the directive to every redirect that
 * follows a form submission, including redirects by the client to another local port or to another of its own
 * sites.
 */
export const buildFormActionSources = (redirectUri: string): string => {
  const destination = formatRedirectDestination(redirectUri);
  if (destination.startsWith("https:")) return "'self' https:";
  if (!destination.startsWith("http:")) return `'self' ${destination}`;
  // CSP host sources cannot contain an IPv6 address.
  return destination.includes("[")
    ? "'self' http: https:"
    : "'self' http://127.0.0.1:* http://localhost:* https:";
};
