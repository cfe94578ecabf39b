import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Face, type Received, type Sent, openMock, openServer } from "./faces.js";
import { allOperations, makeFixture, validRequest } from "../../engine/test/request/valid-requests.js";

/** Returns a response without the parts that depend on the server's address. */
const comparable = (baseUrl: string, { status, headers, text }: Received) => ({
  status,
  // The hint of a service token is the end of its signature, which differs every time.
  body: text.replaceAll(baseUrl, "BASE").replaceAll(/"valueHint":"[\w-]+"/g, ""),
  headers: [
    "content-type",
    "cache-control",
    "allow",
    "retry-after",
    "www-authenticate",
    "x-request-id",
    "ratelimit-limit",
    "ratelimit-remaining",
    "access-control-allow-origin",
  ].map((name) => headers.get(name)),
});

describe("interception and HTTP", () => {
  let pair: readonly [Face, Face];
  beforeAll(async () => {
    pair = [await openMock(), await openServer()];
  });
  beforeEach(async () => {
    for (const { engine } of pair) await engine.reset();
  });
  afterAll(async () => {
    for (const face of pair) await face.close();
  });

  const same = async (method: string, path: string, sent: (face: Face) => Promise<Sent>) => {
    const [left, right] = await Promise.all(
      pair.map(async (face) => comparable(face.baseUrl, await face.send(method, path, await sent(face)))),
    );
    expect(left).toEqual(right);
    return left;
  };

  // The signature of a service token differs every time.
  it.each(allOperations.filter(({ id }) => id !== "workspaces.serviceTokens.create").map(({ id }) => id))(
    "return the same response for %s",
    async (id) => {
      const operation = allOperations.find((each) => each.id === id);
      if (!operation) throw new Error(id);
      const [fixture] = await Promise.all(
        pair.map(({ engine }) => makeFixture(engine, engine.defaults.workspace.id)),
      );
      if (!fixture) throw new Error("no fixture");
      const { method, path } = validRequest(operation, fixture, "");
      const answer = await same(method, path, async ({ engine }) => {
        const { body } = validRequest(operation, fixture, await engine.tokens.otherUser());
        return { token: await engine.tokens.user(), ...(body && { body }) };
      });
      expect(Object.keys(operation.responses)).toContain(String(answer?.status));
      await same(method, path, () => Promise.resolve({}));
    },
  );

  it.each([
    ["GET", "/"],
    ["GET", "/v1/nothing"],
    ["GET", "/v1/projects/"],
    ["GET", "/v1/projects/%zz"],
    ["GET", "/v1/projects?limit=0&limit=1"],
    ["PUT", "/v1/projects"],
    ["OPTIONS", "/v1/projects"],
    ["GET", "/v1/doc/"],
    ["POST", "/v1/doc"],
    ["OPTIONS", "/v1/doc"],
    ["POST", "/v1/projects"],
    ["DELETE", "/uploads/dpl_x/key"],
  ])("return the same response for %s %s", async (method, path) => {
    await same(method, path, async ({ engine }) => ({ token: await engine.tokens.user() }));
  });

  it("return the same response for a body in UTF-8, and one that is not", async () => {
    const token = async ({ engine }: Face) => ({ token: await engine.tokens.user() });
    const named = await same("POST", "/v1/projects", async (face) => ({
      ...(await token(face)),
      body: { name: "Größe 🐧\u0000" },
    }));
    expect(named?.status).toBe(201);
    const broken = await same("POST", "/v1/projects", async (face) => ({
      ...(await token(face)),
      raw: new Uint8Array([0x22, 0xff, 0x22]),
    }));
    expect(broken?.status).toBe(400);
  });
});
