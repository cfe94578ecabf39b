import assert from "node:assert/strict";
import type { Target } from "./answer.js";

export interface Sent {
  readonly method?: string;
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
}

/** Sends a request with `fetch`, and checks the status of the response. Returns its body. */
export const send = async (
  url: string,
  status: number,
  { method = "GET", token, body }: Sent = {},
): Promise<string> => {
  const response = await fetch(url, {
    method,
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  assert.equal(response.status, status, text);
  return text;
};

/**
 * Creates projects without a database. Returns the response of `projects.list` after checking that the server does real work: it rejects a
 * missing token, a wrong token, and an invalid query, and lists all projects.
 */
export const createdProjects = async ({ baseUrl, token }: Target, count: number): Promise<string> => {
  const url = `${baseUrl}/v1/projects`;
  for (let index = 0; index < count; index += 1) {
    const body = { name: `bench ${String(index)}`, createDatabase: false };
    await send(url, 201, { method: "POST", token, body });
  }
  assert.match(await send(url, 401), /"auth:unauthorized"/);
  assert.match(await send(url, 401, { token: `${token}x` }), /"auth:unauthorized"/);
  assert.match(await send(`${url}?limit=0`, 422, { token }), /"validation:failed"/);
  const list = await send(url, 200, { token });
  const { data, pagination }: { data: unknown[]; pagination: unknown } = JSON.parse(list);
  assert.equal(data.length, count);
  assert.deepEqual(pagination, { nextCursor: null, hasMore: false });
  return list;
};
