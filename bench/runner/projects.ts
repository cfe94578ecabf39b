import assert from "node:assert/strict";
import type { ClientRequest, Place, RecordedAnswer } from "../programs/calls.js";

type Send = (request: ClientRequest) => Promise<RecordedAnswer>;

/** Creates as many projects without a database, so that there is something to list. */
export const createProjects = async (send: Send, place: Place, count: number): Promise<void> => {
  for (let index = 0; index < count; index += 1) {
    const answer = await send({
      url: `${place.baseUrl}/v1/projects`,
      token: place.token,
      method: "POST",
      body: { name: `bench ${String(index)}`, createDatabase: false },
    });
    assert.equal(answer.status, 201, answer.body);
  }
};

/**
 * The list's answer, once it has been proved that the server really works for it: it turns away a missing and a wrong
 * token and a bad query, and lists all of the projects.
 */
export const provenList = async (
  send: Send,
  { baseUrl, token }: Place,
  count: number,
): Promise<RecordedAnswer> => {
  const url = `${baseUrl}/v1/projects`;
  await expectError(send, { url }, 401, "auth:unauthorized");
  await expectError(send, { url, token: `${token}x` }, 401, "auth:unauthorized");
  await expectError(send, { url: `${url}?limit=0`, token }, 422, "validation:failed");
  const answer = await send({ url, token });
  assert.equal(answer.status, 200, answer.body);
  const { data, pagination }: { data: unknown[]; pagination: unknown } = JSON.parse(answer.body);
  assert.equal(data.length, count);
  assert.deepEqual(pagination, { nextCursor: null, hasMore: false });
  return answer;
};

const expectError = async (
  send: Send,
  request: ClientRequest,
  status: number,
  code: string,
): Promise<void> => {
  const answer = await send(request);
  assert.equal(answer.status, status, answer.body);
  const { error }: { error: { code: string } } = JSON.parse(answer.body);
  assert.equal(error.code, code);
};

/** The answer without the headers that `node:http` writes by itself. */
export const withoutConnectionHeaders = ({ status, headers, body }: RecordedAnswer): RecordedAnswer => ({
  status,
  headers: Object.fromEntries(
    Object.entries(headers).filter(([name]) => !["connection", "date", "keep-alive"].includes(name)),
  ),
  body,
});
