import type { ClientRequest, RecordedAnswer } from "./calls.js";

/** Sends one request with `fetch` and takes down the answer. */
export const send = async ({ url, token, method = "GET", body }: ClientRequest): Promise<RecordedAnswer> => {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
};
