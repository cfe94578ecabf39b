import { type AddressInfo, createServer, connect } from "node:net";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { DatabaseAddress } from "@mgmt/cluster/policy/address";
import { Cluster, adminPassword } from "../../test/cluster.js";
import { probeServer } from "./probe.js";

const cluster = new Cluster({}, { user: "renter" });

const buildAddress = (changes: Partial<DatabaseAddress> = {}): DatabaseAddress => ({
  ...{ host: "127.0.0.1", port: cluster.options.port, user: "renter", password: adminPassword },
  database: "records",
  ...changes,
});

/** Starts a proxy that tells clients a process id of its own, as connection poolers do. Returns its port. */
const startPooler = async (): Promise<number> => {
  const server = createServer((client) => {
    const upstream = connect(cluster.options.port, "127.0.0.1");
    client.pipe(upstream);
    upstream.on("data", (bytes: Buffer) => {
      // BackendKeyData: the type, a length of 12, the process id and the key.
      const start = bytes.indexOf(Buffer.from("K\0\0\0\x0c", "latin1"));
      if (start >= 0) bytes.writeInt32BE(7, start + 5);
      client.write(bytes);
    });
    for (const socket of [client, upstream]) socket.on("error", () => undefined);
    upstream.on("close", () => client.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
};

describe("the Postgres server of a service", () => {
  it("tells its version and its clock", async () => {
    const { major, clockOffset } = await probeServer(buildAddress());
    expect(major).toBe(cluster.options.binaries.major);
    expect(Math.abs(clockOffset)).toBeLessThan(5_000);
  });

  it.each([
    ["serve:database_unreachable", { port: 1 }, "ECONNREFUSED"],
    ["serve:database_refused", { password: "hidden" }, "password authentication failed"],
    ["serve:database_refused", { database: "none" }, "does not exist"],
  ])("is refused with %s if it does not let the service in: %j", async (code, changes, problem) => {
    const error: unknown = await probeServer(buildAddress(changes)).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, message: expect.stringContaining(problem) });
    expect(String(error)).not.toContain("hidden");
  });

  it("is refused if it is a connection pooler", async () => {
    const port = await startPooler();
    await expect(probeServer(buildAddress({ port }))).rejects.toMatchObject({ code: "serve:pooler" });
  });

  it.each([
    [7_200_000, "7200 seconds ahead of"],
    [-60_000, "60 seconds behind"],
  ])("is refused if the clock of this machine differs by %i ms", async (difference, problem) => {
    const now = Date.now.bind(Date);
    vi.spyOn(Date, "now").mockImplementation(() => now() + difference);
    onTestFinished(() => void vi.restoreAllMocks());
    await expect(probeServer(buildAddress())).rejects.toMatchObject({
      code: "serve:clock_differs",
      message: expect.stringContaining(problem),
    });
  });
});
