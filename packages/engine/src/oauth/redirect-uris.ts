import type { ClientRow } from "../store/rows.js";

/** Scheme, host and port, and the rest of an `http` URI on loopback, as they are written. */
const loopbackForm =
  /^(?<host>http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]))(?::(?<port>[1-9]\d{0,4}))?(?<rest>[/?][^#]*)?$/;

const readLoopback = (uri: string): { host: string; rest: string } | undefined => {
  const groups = loopbackForm.exec(uri)?.groups;
  if (!groups || Number(groups["port"] ?? 80) > 65_535) return undefined;
  return { host: groups["host"] ?? "", rest: groups["rest"] ?? "" };
};

/**
 * Whether the client may be sent to this URI: one that it has registered, character by character; for a public client on
 * loopback with any port (§ Authentication, RFC 8252 §7.3).
 */
export const isRegistered = ({ redirectUris, secretHash }: ClientRow, uri: string): boolean => {
  if (redirectUris.includes(uri)) return true;
  const given = secretHash === null ? readLoopback(uri) : undefined;
  return (
    given !== undefined &&
    redirectUris.some((registered) => {
      const known = readLoopback(registered);
      return known !== undefined && known.host === given.host && known.rest === given.rest;
    })
  );
};

/** RFC 8252 §7.1: a private-use scheme is a domain name, reversed. */
const privateUse = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:\/[^#]*$/;

/**
 * Why a URI cannot be registered; undefined when it can. It is absolute and has no fragment (RFC 6749 §3.1.2), and it is
 * `https`, `http` on loopback, or of a private-use scheme (RFC 9700 §2.1).
 */
export const whyNotRegistrable = (uri: string): string | undefined => {
  // What a browser would mend, or a header would break at, is not what was registered.
  if (!/^[\x21-\x7e]+$/.test(uri) || uri.includes("\\")) return "has a character that no URI has";
  if (uri.includes("#")) return "has a fragment";
  if (privateUse.test(uri)) return undefined;
  if (!/^https?:\/\/[^/?]/.test(uri) || !URL.canParse(uri)) {
    return "is neither https, nor http on loopback, nor of a scheme like com.example.app:/callback";
  }
  const { protocol, username, password } = new URL(uri);
  if (username !== "" || password !== "") return "carries user information";
  if (protocol === "https:" || readLoopback(uri)) return undefined;
  return "is http, which only localhost, 127.0.0.1 and [::1] may be";
};
