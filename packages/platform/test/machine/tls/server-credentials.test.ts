import { X509Certificate, createPrivateKey, createPublicKey } from "node:crypto";
import { readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  type ServerCredentials,
  loadServerCredentials,
} from "../../../src/machine/tls/server-credentials.js";
import { temporaryDirectory } from "../../cluster.js";

const day = 86_400_000;

let directory: string;

beforeAll(async () => {
  directory = join(await temporaryDirectory(), "tls");
});
afterAll(() => rm(join(directory, ".."), { recursive: true, force: true }));

const load = (): Promise<ServerCredentials> => loadServerCredentials(directory, { durable: false });
const authority = async ({ caFile }: ServerCredentials): Promise<X509Certificate> =>
  new X509Certificate(await readFile(caFile));

/** Loads the credentials, which must be new ones that fit together. */
const expectReplaced = async (before: ServerCredentials, caBefore: string): Promise<void> => {
  const after = await load();
  expect(after.key).not.toBe(before.key);
  expect(await readFile(after.caFile, "utf8")).not.toBe(caBefore);
  const server = new X509Certificate(after.cert);
  expect(server.verify((await authority(after)).publicKey)).toBe(true);
  expect(server.checkPrivateKey(createPrivateKey(after.key))).toBe(true);
  expect(await load()).toEqual(after);
};

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

  it("removes what a process that was killed while it wrote a key has left", async () => {
    await load();
    await writeFile(join(directory, "server-key.pem.0123456789ab.tmp"), "");
    await load();
    expect(await readdir(directory)).not.toContain("server-key.pem.0123456789ab.tmp");
  });

  it("stores no private key but that of the server, readable by its owner only", async () => {
    const credentials = await load();
    const names = (await readdir(directory)).sort();
    expect(names).toEqual(["ca.pem", "server-key.pem", "server.pem"]);
    const authorityKey = (await authority(credentials)).publicKey;
    expect(createPublicKey(credentials.key).equals(authorityKey)).toBe(false);
    for (const name of names) expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
    expect((await stat(directory)).mode & 0o777).toBe(0o700);
  });

  it("returns the same credentials again", async () => {
    expect(await load()).toEqual(await load());
  });

  it.each([
    ["server.pem", "is missing", undefined],
    ["server.pem", "is not a certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"],
    ["server.pem", "belongs to another key", "ca.pem"],
    ["server-key.pem", "is missing", undefined],
    ["server-key.pem", "is empty", ""],
    ["ca.pem", "is missing", undefined],
    ["ca.pem", "is the certificate of another authority", "other/ca.pem"],
  ])("replaces all when %s %s", async (name, _case, content) => {
    const before = await load();
    const caBefore = await readFile(before.caFile, "utf8");
    await loadServerCredentials(join(directory, "other"), { durable: false });
    const path = join(directory, name);
    if (content === undefined) await rm(path);
    else await writeFile(path, content.endsWith(".pem") ? await readFile(join(directory, content)) : content);
    await rm(join(directory, "other"), { recursive: true });
    await expectReplaced(before, caBefore);
  });

  it.each([
    ["keeps", 400, false],
    ["renews", 440, true],
  ])("%s the certificates when it starts %i days later", async (_verb, days, renewed) => {
    const before = await load();
    const caBefore = await readFile(before.caFile, "utf8");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + days * day });
    try {
      if (renewed) await expectReplaced(before, caBefore);
      else expect(await load()).toEqual(before);
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
