import type { ClientRequest } from "./calls.js";

/** Returns the mean microseconds per request with `fetch` and `json()`. Throws if a response is not a list of `count` items. */
export const timeRequests = async (
  { url, token = "" }: ClientRequest,
  requests: number,
  count: number,
): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` };
  const started = performance.now();
  for (let index = 0; index < requests; index += 1) {
    const response = await fetch(url, { headers });
    // Checked by the next line.
    const list = (await response.json()) as { data?: unknown[] };
    if (response.status !== 200 || list.data?.length !== count) throw new Error("A response is not the list");
  }
  return ((performance.now() - started) / requests) * 1000;
};
