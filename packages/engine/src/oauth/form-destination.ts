/** The last stop of a redirect URI, for the user to read: its origin, or its private-use scheme. */
export const destinationOf = (redirectUri: string): string =>
  /^https?:/.test(redirectUri) ? new URL(redirectUri).origin : `${redirectUri.split(":", 1)[0] ?? ""}:`;

/**
 * What `form-action` must allow: browsers hold it against every redirect that follows a form, also those of the client, which
 * may lead on to another port of this machine or another site of its own.
 */
export const formActionOf = (redirectUri: string): string => {
  const destination = destinationOf(redirectUri);
  if (destination.startsWith("https:")) return "'self' https:";
  if (!destination.startsWith("http:")) return `'self' ${destination}`;
  // A source of a policy cannot name an IPv6 address.
  return destination.includes("[")
    ? "'self' http: https:"
    : "'self' http://127.0.0.1:* http://localhost:* https:";
};
