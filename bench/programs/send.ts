import type { ClientRequest, RecordedResponse } from "./calls.js";

/** Sends one request with `fetch` and records the response. */
export const send = async ({
  url,
  token,
  method = "GET",
  body,
}: ClientRequest): Promise<RecordedResponse> => {
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
