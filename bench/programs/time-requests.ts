import type { ClientRequest } from "./calls.js";

/** Microseconds for one request with `fetch` and `json()`. Throws when an answer is not a list of `count` items. */
export const timeRequests = async (
  { url, token = "" }: ClientRequest,
  requests: number,
  count: number,
): Promise<number> => {
  const headers = { authorization: `Bearer ${token}` };
  const started = performance.now();
  for (let index = 0; index < requests; index += 1) {
    const response = await fetch(url, { headers });
    // Proved by the next line.
    const list = (await response.json()) as { data?: unknown[] };
    if (response.status !== 200 || list.data?.length !== count) throw new Error("An answer is not the list");
  }
  return ((performance.now() - started) / requests) * 1000;
};
