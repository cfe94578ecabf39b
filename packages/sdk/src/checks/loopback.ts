/**
 * Returns whether the host of a parsed URL names this machine only: `localhost`, `[::1]` or any address of 127.0.0.0/8,
 * also as an IPv4-mapped IPv6 address.
 *
 * @param hostname `URL.hostname`, which is lowercase and has numeric addresses in their canonical form.
 */
export const isLoopbackHostname = (hostname: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(hostname);
