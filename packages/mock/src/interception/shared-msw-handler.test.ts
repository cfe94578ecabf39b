import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
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

  it("passes requests to other hosts through by default, but not if configured otherwise", async () => {
    const other = createServer((_request, response) => response.end("other"));
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    // It listens on a host.
    const url = `http://127.0.0.1:${String((other.address() as AddressInfo).port)}/`;
    const mock = start();
    mock.listen();
    expect(await (await fetch(url)).text()).toBe("other");
    await mock.close();
    mock.listen({ onUnhandledRequest: "error" });
    const quiet = vi.spyOn(console, "error").mockImplementation(() => undefined);
    await expect(fetch(url)).rejects.toThrow();
    quiet.mockRestore();
    other.close();
  });
});
