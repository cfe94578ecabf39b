import { type AddressInfo, createServer } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import type { Context } from "../../input/context.js";
import { checkConnection } from "./connection-checks.js";

const reason = new Error("interrupted");

it.each([
  ["before a connection", (controller: AbortController) => controller.abort(reason), () => undefined],
  ["during a handshake", () => undefined, (controller: AbortController) => controller.abort(reason)],
])("the checks of a connection end when they are interrupted %s", async (_when, before, onConnect) => {
  const controller = new AbortController();
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    onConnect(controller);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a host has an address of this form.
  const { port } = server.address() as AddressInfo;
  before(controller);
  // The checks use no more of a run.
  const context = { env: {}, signal: controller.signal } as Partial<Context> as Context;
  await expect(checkConnection(`https://127.0.0.1:${String(port)}`, context)).rejects.toBe(reason);
});
