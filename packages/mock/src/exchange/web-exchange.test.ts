import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";
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

  it("responds to any client of the process at its base URL, and sends none of those requests", async () => {
    const mock = start();
    mock.listen({ onUnhandledRequest: "error" });
    const headers = await bearer(mock.tokens.user());
    expect((await fetch(`${mock.baseUrl}/v1/me`, { headers })).status).toBe(200);
    for (const path of [
      "",
      "/",
      "/v1",
      "/v2/x",
      "/_control/clock",
      "/%",
      "/v1/projects/%zz",
      "/?a=b",
      "#c",
    ]) {
      expect([path, (await fetch(mock.baseUrl + path)).status]).toEqual([
        path,
        expect.toSatisfy(isRejection),
      ]);
    }
  });
  const isRejection = (status: number) => status >= 400 && status < 500;

  it("responds at the configured base URL, with a path and a port too", async () => {
    const mock = start({ baseUrl: "http://localhost:1/management" });
    mock.listen();
    const headers = await bearer(mock.tokens.user());
    const response = await fetch("http://localhost:1/management/v1/me", { headers });
    expect(response.status).toBe(200);
    const created = await fetch("http://localhost:1/management/v1/projects", { method: "POST", headers });
    const { data } = (await created.json()) as { data: { url: string } };
    expect(data.url.startsWith("http://localhost:1/management/v1/projects/proj_")).toBe(true);
    expect((await fetch(data.url, { headers })).status).toBe(200);
  });

  it("ignores a host whose name only starts like its own", async () => {
    const mock = start();
    mock.listen({ onUnhandledRequest: "error" });
    const quiet = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await expect(fetch(`${mock.baseUrl}.example.com/v1/me`)).rejects.toThrow();
    quiet.mockRestore();
  });

  it("provides its own fetch, without listening", async () => {
    const mock = start();
    const headers = await bearer(mock.tokens.user());
    expect((await mock.fetch(`${mock.baseUrl}/v1/me`, { headers })).status).toBe(200);
    const response = await mock.fetch(
      new Request(`${mock.baseUrl}/v1/projects`, { method: "POST", headers, body: null }),
    );
    expect(response.status).toBe(201);
    mock.faults.add({ drop: "before" });
    await expect(mock.fetch(`${mock.baseUrl}/v1/me`)).rejects.toThrow(TypeError);
  });

  it("ends a request as soon as its signal is aborted, and processes none whose signal was aborted before", async () => {
    const mock = start();
    const headers = await bearer(mock.tokens.user());
    const list = (signal: AbortSignal) => mock.fetch(`${mock.baseUrl}/v1/projects`, { headers, signal });
    mock.faults.add({ operation: "projects.list", latency: 600_000, times: 1 });
    const stopped = new AbortController();
    const waiting = list(stopped.signal);
    await expect.poll(() => mock.faults.list()).toEqual([]);
    const reason = new Error("The caller is gone");
    stopped.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(list(stopped.signal)).rejects.toBe(reason);
    expect(mock.requests).toMatchObject([{ operationId: "projects.list", status: null }]);
    expect((await list(new AbortController().signal)).status).toBe(200);
  });

  it("keeps no timer for the latency of a request that is aborted", async () => {
    const mock = start();
    const headers = await bearer(mock.tokens.user());
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    mock.faults.add({ latency: 600_000, times: 1 });
    const stopped = new AbortController();
    const waiting = mock.fetch(`${mock.baseUrl}/v1/projects`, { headers, signal: stopped.signal });
    await expect.poll(() => vi.getTimerCount()).toBe(1);
    stopped.abort();
    await expect(waiting).rejects.toThrow("aborted");
    expect(vi.getTimerCount()).toBe(0);
    expect(mock.requests).toMatchObject([{ operationId: "projects.list", status: null }]);
  });
});
