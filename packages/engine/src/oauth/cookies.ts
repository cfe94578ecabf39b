import { type EngineRequest, getHeader } from "../values/message.js";

/** Returns the values of all cookies of this name. Other sites on the same host can add cookies of the same name. */
export const findCookieValues = (request: EngineRequest, name: string): string[] =>
  (getHeader(request, "cookie")?.split(";") ?? []).flatMap((cookie) => {
    const [key, value] = cookie.trim().split("=", 2);
    return key === name && value !== undefined ? [value] : [];
  });
