import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { setupMock } from "@mgmt/mock";
import {
  AuthUnauthorizedError,
  type MgmtClient,
  RateLimitExceededError,
  ValidationFailedError,
  createClient,
} from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { thrown } from "../server.js";

const mock = setupMock({ deterministic: "sdk" });
const connect = (token: string): MgmtClient => createClient({ baseUrl: mock.baseUrl, token });
let client: MgmtClient;

beforeAll(async () => {
  mock.listen({ onUnhandledRequest: "error" });
  client = connect(await mock.tokens.user());
});
afterEach(async () => {
  await mock.reset();
});
afterAll(async () => {
  await mock.close();
});

describe("every operation", () => {
  it("throws an AuthUnauthorizedError with a request id for a bad token", async () => {
    for (const token of ["nonsense", await mock.tokens.expired()]) {
      const error = await thrown(connect(token).projects.list());
      expect(error).toBeInstanceOf(AuthUnauthorizedError);
      expect(error).toMatchObject({ requestId: expect.stringMatching(/^req_/), hint: expect.any(String) });
      expect(JSON.stringify(error)).not.toContain(token);
    }
  });

  it("throws a ValidationFailedError that names the fields for an invalid body", async () => {
    // @ts-expect-error The types refuse it too.
    const error = await thrown(client.projects.create({ name: 5, colour: "red" }));
    if (!(error instanceof ValidationFailedError)) throw error;
    expect(error.issues?.map(({ path }) => path)).toContain("/name");
  });

  it("throws a ValidationFailedError for a limit out of bounds", async () => {
    for (const limit of [0, 1001, 1.5]) {
      expect(await thrown(client.projects.list({ limit }))).toBeInstanceOf(ValidationFailedError);
    }
  });

  it("throws a RateLimitExceededError with the time to wait for too many requests", async () => {
    mock.setRateLimit({ requests: 1, window: 60_000 });
    await client.services.list();
    const error = await thrown(client.services.list());
    if (!(error instanceof RateLimitExceededError)) throw error;
    expect(error.retryAfter).toBeGreaterThan(0);
  });

  it("throws an error of its status for a proxy's page", async () => {
    mock.faults.add({ status: 502, body: "<html>Bad gateway</html>", times: 1 });
    expect(await thrown(client.me.get({ maxRetries: 0 }))).toMatchObject({
      name: "ApiError",
      status: 502,
      code: "http:502",
    });
  });

  it("throws a ConnectionError for a dropped connection, over fetch and over node:http", async () => {
    const token = await mock.tokens.user();
    for (const transport of [undefined, nodeTransport()]) {
      mock.faults.add({ drop: "before", times: 1 });
      const over = createClient({ baseUrl: mock.baseUrl, token, transport, maxRetries: 0 });
      expect(await thrown(over.me.get())).toMatchObject({ code: "connection:failed" });
      expect((await over.me.get()).user?.id).toBe(mock.defaults.user.id);
    }
  });
});
