import { X509Certificate } from "node:crypto";
import { readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ServerCredentials, loadServerCredentials } from "../src/tls/server-credentials.js";
import { temporaryDirectory } from "./cluster.js";

let directory: string;

beforeAll(async () => {
  directory = join(await temporaryDirectory(), "tls");
});
afterAll(() => rm(join(directory, ".."), { recursive: true, force: true }));

const load = (): Promise<ServerCredentials> => loadServerCredentials(directory, { durable: false });
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

  it("removes what a process that was killed while it wrote a key has left", async () => {
    await load();
    await writeFile(join(directory, "ca-key.pem.0123456789ab.tmp"), "");
    await load();
    expect(await readdir(directory)).not.toContain("ca-key.pem.0123456789ab.tmp");
  });

  it("makes every file readable by its owner only", async () => {
    const names = (await readdir(directory)).sort();
    expect(names).toEqual(["ca-key.pem", "ca.pem", "server-key.pem", "server.pem"]);
    for (const name of names) expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it("returns the same credentials again", async () => {
    expect(await load()).toEqual(await load());
  });

  it.each([
    ["is missing", undefined],
    ["is not a certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"],
    ["belongs to another key", "ca.pem"],
  ])("replaces a server certificate that %s, and keeps the authority", async (_case, content) => {
    const before = await load();
    const path = join(directory, "server.pem");
    if (content === undefined) await rm(path);
    else await writeFile(path, content.endsWith(".pem") ? await readFile(join(directory, content)) : content);
    const caBefore = await readFile(before.caFile, "utf8");
    const after = await load();
    expect(await readFile(after.caFile, "utf8")).toBe(caBefore);
    expect(new X509Certificate(after.cert).verify((await authority(after)).publicKey)).toBe(true);
  });

  it("replaces the server certificate when the authority was lost", async () => {
    const before = await load();
    await rm(join(directory, "ca-key.pem"));
    const after = await load();
    expect(after.cert).not.toBe(before.cert);
    expect(new X509Certificate(after.cert).verify((await authority(after)).publicKey)).toBe(true);
  });

  it("renews the server certificate before it expires, and keeps the authority", async () => {
    const before = await load();
    const caBefore = await readFile(before.caFile, "utf8");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 340 * 86_400_000 });
    try {
      const after = await load();
      expect(after.cert).not.toBe(before.cert);
      expect(await readFile(after.caFile, "utf8")).toBe(caBefore);
    } finally {
      vi.useRealTimers();
    }
  });

  it("fails when the directory is a file", async () => {
    const file = join(directory, "..", "file");
    await writeFile(file, "");
    await expect(loadServerCredentials(file, { durable: false })).rejects.toThrow("EEXIST");
  });
});
