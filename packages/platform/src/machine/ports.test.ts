import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { expect, it } from "vitest";
import { chooseStablePort, isPortFree } from "./ports.js";

const host = "127.0.0.1";

it("isPortFree tells whether a port is in use, and leaves it free", async () => {
  const server = createServer().listen({ port: 0, host });
  await once(server, "listening");
  // The address of a server that listens on a host is always of this type.
  const { port } = server.address() as AddressInfo;
  expect(await isPortFree(port, host)).toBe(false);
  server.close();
  await once(server, "close");
  expect([await isPortFree(port, host), await isPortFree(port, host)]).toEqual([true, true]);
});

it("isPortFree fails for an address that is not of this machine", async () => {
  await expect(isPortFree(0, "203.0.113.1")).rejects.toMatchObject({ code: "EADDRNOTAVAIL" });
});

it("chooseStablePort stays below the ports of outgoing connections", async () => {
  const port = await chooseStablePort(host);
  expect(port).toBeGreaterThanOrEqual(15_000);
  expect(port).toBeLessThan(32_000);
});
