/** Returns whether an `Origin` header names the host of a `Host` header, with either scheme. */
export const isOriginOfHost = (origin: string, host: string | undefined): boolean =>
  host !== undefined && (origin === `http://${host}` || origin === `https://${host}`);
