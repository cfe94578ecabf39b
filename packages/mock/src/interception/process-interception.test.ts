import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Mock, type MockOptions, setupMock } from "@mgmt/mock";

describe("setupMock", () => {
  const open: Mock[] = [];
  afterEach(async () => {
    for (const mock of open.splice(0)) await mock.close();
  });
  const start = (options: MockOptions = {}): Mock => {
    const mock = setupMock(options);
    open.push(mock);
    return mock;
  };
  const bearer = async (token: Promise<string>) => ({ authorization: `Bearer ${await token}` });

  it("releases its base URL when it closes", async () => {
    const mock = start({ baseUrl: "http://127.0.0.1:1" });
    mock.listen();
    expect((await fetch("http://127.0.0.1:1/v1/me")).status).toBe(401);
    await mock.close();
    await expect(fetch("http://127.0.0.1:1/v1/me")).rejects.toThrow();
  });

  it("can listen again, and continues in the background", async () => {
    const mock = start({ settings: { lifecycle: { provisioning: 10 } } });
    mock.listen();
    await mock.close();
    mock.listen();
    const headers = await bearer(mock.tokens.user());
    await fetch(`${mock.baseUrl}/v1/projects`, { method: "POST", headers });
    await vi.waitFor(() => expect(mock.store.databases.find({})?.status).toBe("ready"));
  });

  it("serves several base URLs at once, each with its own state", async () => {
    const [one, two] = [start({ baseUrl: "https://one.test" }), start({ baseUrl: "https://two.test" })];
    one.listen();
    two.listen();
    await one.seed.project();
    const count = async (mock: Mock) => {
      const response = await fetch(`${mock.baseUrl}/v1/projects`, {
        headers: await bearer(mock.tokens.user()),
      });
      return ((await response.json()) as { data: unknown[] }).data.length;
    };
    expect([await count(one), await count(two)]).toEqual([1, 0]);
    const foreign = await fetch(`${two.baseUrl}/v1/me`, { headers: await bearer(one.tokens.user()) });
    expect(foreign.status).toBe(401);
  });

  it("provides its handlers to an MSW server of the caller", async () => {
    const mock = start();
    const own = setupServer(
      http.get("https://other.test/", () => HttpResponse.text("theirs")),
      ...mock.handlers,
    );
    own.listen({ onUnhandledRequest: "error" });
    const headers = await bearer(mock.tokens.user());
    expect((await fetch(`${mock.baseUrl}/v1/me`, { headers })).status).toBe(200);
    expect(await (await fetch("https://other.test/")).text()).toBe("theirs");
    own.close();
  });
});
