import assert from "node:assert/strict";
import type { ClientRequest, Target, RecordedResponse } from "../programs/calls.js";

type Send = (request: ClientRequest) => Promise<RecordedResponse>;

/** Creates `count` projects without a database. */
export const createProjects = async (send: Send, target: Target, count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    const response = await send({
      url: `${target.baseUrl}/v1/projects`,
      token: target.token,
      method: "POST",
      body: { name: `bench ${String(index)}`, createDatabase: false },
    });
    assert.equal(response.status, 201, response.body);
  }
};

/**
 * Returns the response of `projects.list` after checking that the server does real work: it rejects a missing token, a wrong
 * token, and an invalid query, and lists all projects.
 */
export const checkedList = async (
  send: Send,
  { baseUrl, token }: Target,
  count: number,
): Promise<RecordedResponse> => {
  const url = `${baseUrl}/v1/projects`;
  await expectError(send, { url }, 401, "auth:unauthorized");
  await expectError(send, { url, token: `${token}x` }, 401, "auth:unauthorized");
  await expectError(send, { url: `${url}?limit=0`, token }, 422, "validation:failed");
  const response = await send({ url, token });
  assert.equal(response.status, 200, response.body);
  const { data, pagination }: { data: unknown[]; pagination: unknown } = JSON.parse(response.body);
  assert.equal(data.length, count);
  assert.deepEqual(pagination, { nextCursor: null, hasMore: false });
  return response;
};

const expectError = async (
  send: Send,
  request: ClientRequest,
  status: number,
  code: string,
): Promise<void> => {
  const response = await send(request);
  assert.equal(response.status, status, response.body);
  const { error }: { error: { code: string } } = JSON.parse(response.body);
  assert.equal(error.code, code);
};

/** Removes the headers that `node:http` adds itself. */
export const withoutConnectionHeaders = ({ status, headers, body }: RecordedResponse): RecordedResponse => ({
  status,
  headers: Object.fromEntries(
    Object.entries(headers).filter(([name]) => !["connection", "date", "keep-alive"].includes(name)),
  ),
  body,
});
