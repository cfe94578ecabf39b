/** Returns the origin of a redirect URI, or its private-use scheme, to show to the user. */
export const destinationOf = (redirectUri: string): string =>
  /^https?:/.test(redirectUri) ? new URL(redirectUri).origin : `${redirectUri.split(":", 1)[0] ?? ""}:`;

/**
 * Returns the sources for the `form-action` directive. Browsers apply the directive to every redirect that
 * follows a form submission, including redirects by the client to another local port or to another of its own
 * sites.
 */
export const formActionOf = (redirectUri: string): string => {
  const destination = destinationOf(redirectUri);
  if (destination.startsWith("https:")) return "'self' https:";
  if (!destination.startsWith("http:")) return `'self' ${destination}`;
  // CSP host sources cannot contain an IPv6 address.
  return destination.includes("[")
    ? "'self' http: https:"
    : "'self' http://127.0.0.1:* http://localhost:* https:";
};
