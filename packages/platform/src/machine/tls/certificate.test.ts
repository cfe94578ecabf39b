import { X509Certificate } from "node:crypto";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ServerCredentials, loadServerCredentials } from "./server-credentials.js";
import { temporaryDirectory } from "../../../test/cluster.js";

const day = 86_400_000;

let directory: string;

beforeAll(async () => {
  directory = join(await temporaryDirectory(), "tls");
});
afterAll(() => rm(join(directory, ".."), { recursive: true, force: true }));

const load = (): Promise<ServerCredentials> => loadServerCredentials(directory, { isDurable: false });
const authority = async ({ caFile }: ServerCredentials): Promise<X509Certificate> =>
  new X509Certificate(await readFile(caFile));

describe("loadServerCredentials", () => {
  it("creates an authority and a server certificate for loopback names only", async () => {
    const credentials = await load();
    const server = new X509Certificate(credentials.cert);
    const ca = await authority(credentials);
    expect(server.checkIssued(ca)).toBe(true);
    expect(server.verify(ca.publicKey)).toBe(true);
    expect(ca.verify(ca.publicKey)).toBe(true);
    expect([ca.ca, server.ca]).toEqual([true, false]);
    expect(server.checkHost("localhost")).toBe("localhost");
    for (const address of ["127.0.0.1", "::1"]) expect(server.checkIP(address)).toBeDefined();
    expect(server.checkHost("example.com")).toBeUndefined();
    expect(server.checkIP("127.0.0.2")).toBeUndefined();
    expect(server.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
  });

  it("gives the authority no name constraints, which BoringSSL refuses for addresses", async () => {
    const nameConstraints = Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x1e]);
    expect((await authority(await load())).raw.includes(nameConstraints)).toBe(false);
  });

  it("lasts for at least a year, and no longer than Apple's systems accept", async () => {
    const credentials = await load();
    for (const { validFrom, validTo } of [
      new X509Certificate(credentials.cert),
      await authority(credentials),
    ]) {
      expect(Date.parse(validTo) - Date.now()).toBeGreaterThan(366 * day);
      expect(Date.parse(validTo) - Date.parse(validFrom)).toBeLessThan(825 * day);
    }
  });
});
