import { describe, expect, it } from "vitest";
import { createClient, isApiError } from "@mgmt/sdk";
import { MockError } from "@mgmt/mock";
import { setupMock } from "../plain.js";

describe("a mock where Node.js is not", () => {
  it("responds to fetch and to clients, which pass its time instead of waiting", async () => {
    const mock = setupMock({ deterministic: "plain", baseUrl: "https://api.example.test" });
    const headers = { authorization: `Bearer ${await mock.tokens.user()}` };
    const response = await mock.fetch(`${mock.baseUrl}/v1/projects`, { headers });
    expect(await response.json()).toMatchObject({ data: [] });
    const client = createClient(mock.clientOptions());
    const { id } = await client.projects.create({ name: "shop" });
    const [{ id: databaseId } = { id: "" }] = await client.projects.databases.list(id).toArray();
    const { status } = await client.databases.waitUntilReady(databaseId, { timeoutMs: 3_600_000 });
    expect(status).toBe("ready");
    const error: unknown = await client.projects.get("proj_gone").catch((thrown: unknown) => thrown);
    expect(isApiError(error, "project:not_found")).toBe(true);
  });

  it("rejects requests after it was closed", async () => {
    const mock = setupMock();
    await mock.close();
    await expect(createClient(mock.clientOptions()).projects.list()).rejects.toMatchObject({
      cause: { code: "mock:closed" },
    });
  });

  it.each([
    ["handlers", (mock: ReturnType<typeof setupMock>) => mock.handlers],
    ["listen()", (mock) => mock.listen()],
    ["client()", (mock) => mock.client()],
    ["record()", (mock) => mock.record()],
    ["replay()", (mock) => mock.replay()],
  ] satisfies [string, (mock: ReturnType<typeof setupMock>) => unknown][])(
    "says what to do in place of %s",
    async (member, use) => {
      const call = async (): Promise<unknown> => use(setupMock());
      const error: unknown = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(MockError);
      expect(error).toMatchObject({
        code: "mock:needs_node",
        message: expect.stringMatching(
          /^mock\.\S+ needs Node\.js.+mock\.fetch.+createClient\(mock\.clientOptions\(\)\).+@mgmt\/mock\/browser/,
        ),
      });
      expect(String(error)).toContain(`mock.${member} needs`);
    },
  );

  it.each([
    [{ persist: "local" }, /persist/],
    [{ baseUrl: "api.example.test" }, /baseUrl/],
  ])("refuses the options %j", (options, message) => {
    expect(() => setupMock(options as object)).toThrow(message);
  });
});
