import type { FetchResponse } from "./fetch.js";

/** The replacement of `limited-text.ts` in builds for browsers. */
export function readText(response: FetchResponse): Promise<string> {
  return response.text();
}
