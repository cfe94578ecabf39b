import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { ApiError, type ClientOptions, createClient } from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { closedUrl, json, startServer, thrown } from "./server.js";

const secrets = ["canary-token", "canary-header", "canary-recipient", "canary-password"];

/** Returns everything that a program may print of a value. */
const prints = (value: unknown): string =>
  [
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }),
    String(value),
    JSON.stringify(value),
    value instanceof Error ? `${value.stack}${inspect(value.cause, { depth: 9, showHidden: true })}` : "",
  ].join("\n");

const expectClean = (value: unknown): void => {
  const text = prints(value);
  for (const secret of secrets) expect(text).not.toContain(secret);
};

const options = (baseUrl: string, more: Partial<ClientOptions> = {}): ClientOptions => ({
  baseUrl,
  token: "canary-token",
  headers: { "x-key": "canary-header" },
  ...more,
});

const transfer = (more: ClientOptions): PromiseLike<unknown> =>
  createClient(more).projects.transfer("proj_1", { recipientAccessToken: "canary-recipient" });

describe("a secret", () => {
  it("is found by this check when it is present", () => {
    expect(() => expectClean(new Error("canary-token"))).toThrow();
    expect(() => expectClean({ deep: { headers: { authorization: "canary-token" } } })).toThrow();
  });

  it.each([
    ["fetch", () => undefined],
    ["nodeTransport", () => nodeTransport()],
  ])("appears in no error of a call over %s", async (_, make) => {
    const transport = make();
    const server = await startServer(({ url }, response) => {
      if (url.includes("slow")) return;
      if (url.includes("cut")) response.destroy();
      else if (url.includes("html")) response.writeHead(200).end("<html>canary-password");
      else if (url.includes("broken")) response.writeHead(500).end('{"error":{"pass":"canary-password');
      else if (url.includes("other"))
        json(response, 409, { error: { code: "x:y", message: "m", pass: "canary-password" } });
      else json(response, 422, { error: { code: "validation:failed", message: "m", issues: [] } });
    });
    const client = createClient(options(server.baseUrl, { transport }));
    for (const id of ["slow", "cut", "html", "broken", "other", "plain", ".."]) {
      const body = { recipientAccessToken: "canary-recipient" };
      expectClean(await thrown(client.projects.transfer(id, body, id === "slow" ? { timeoutMs: 50 } : {})));
    }
    expectClean(await thrown(transfer(options(closedUrl, { transport }))));
    expectClean(await thrown(client.projects.get("x", { headers: { "x-key": "canary-header\n" } })));
  });

  it("appears in no error of an intermediary that quotes the request", async () => {
    const quotes = [
      "Bearer canary-token was refused",
      "cannot reach postgres://ada:canary-password@db.test:5432/shop",
      "cannot reach postgres://ada:x/canary-password@y@db.test/shop?sslmode=require",
      "see https://ada:canary-password@proxy.test/?access_token=canary-token&x=1",
    ];
    for (const said of quotes) {
      const issues = [{ path: "/x", message: said }];
      const { baseUrl } = await startServer((_, response) =>
        json(response, 422, { error: { code: "validation:failed", message: said, hint: said, issues } }),
      );
      const error = await thrown(transfer(options(baseUrl)));
      expectClean(error);
      expect(String(error)).toMatch(/refused|db\.test|proxy\.test/);
    }
  });

  it.each([
    ["an error response", 409, "{}"],
    ["a success without a body", 200, ""],
  ])(
    "in the headers of %s is masked when the error is printed, and kept in the property",
    async (_, status, body) => {
      const sent = {
        "set-cookie": "session=canary-password; HttpOnly",
        "x-auth-token": "canary-token",
        location: "https://ada:canary-password@example.com/",
        "x-region": "eu-central-1",
      };
      const { baseUrl } = await startServer((_request, response) =>
        response.writeHead(status, sent).end(body),
      );
      const error = await thrown(createClient(options(baseUrl)).projects.get("proj_1"));
      if (!(error instanceof ApiError)) throw error;
      expectClean(error);
      expectClean({ wrapped: [error], headers: error.headers });
      expect(error.headers).toMatchObject(sent);
      expect({ ...error.headers }["x-auth-token"]).toBe("canary-token");
      expect(inspect(error)).toContain("'x-region': 'eu-central-1'");
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ headers: { "x-region": "eu-central-1" } });
    },
  );

  it("is not detected where the service only mentions tokens", async () => {
    const message = "The bearer token has expired; mail ops@example.com";
    const hint = "Authorization: Bearer <ACCESS_TOKEN>, see https://example.com/a@b";
    const { baseUrl } = await startServer((_, response) =>
      json(response, 403, { error: { code: "auth:forbidden", message, hint } }),
    );
    expect(await thrown(transfer(options(baseUrl)))).toMatchObject({ message, hint });
  });

  it.each(["canary-token\n", "canary-token x", "canary-tökén"])(
    "appears in no error when it cannot be sent: %j",
    async (token) => expectClean(await thrown(transfer(options(closedUrl, { token })))),
  );

  it("appears in no print of a client, its resources, its path client or a page", async () => {
    const { baseUrl } = await startServer((_, response) =>
      json(response, 200, { data: [], pagination: { nextCursor: null, hasMore: false } }),
    );
    const client = createClient(options(baseUrl));
    expectClean(client);
    expectClean(client.projects);
    expectClean(client.http);
    expectClean(client.projects.list());
    expectClean(await client.projects.list());
    expect(JSON.parse(JSON.stringify(client.projects))).toEqual({ branches: {}, databases: {} });
  });
});
