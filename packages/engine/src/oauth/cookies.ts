import { type EngineRequest, getHeader } from "../values/message.js";

/**
 * Returns the values of all cookies of this name. There can be several, because other sites on the same host can set cookies of the same name.
 */
export const findCookieValues = (request: EngineRequest, name: string): string[] =>
  (getHeader(request, "cookie")?.split(";") ?? []).flatMap((cookie) => {
    const pair = cookie.trim();
    const prefix = `${name}=`;
    // A value may contain `=` itself. See https://www.rfc-editor.org/rfc/rfc6265#section-4.1.1.
    return pair.startsWith(prefix) ? [pair.slice(prefix.length)] : [];
  });
