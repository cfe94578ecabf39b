import { X509Certificate, createPrivateKey, createPublicKey } from "node:crypto";
import { readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
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
    await loadServerCredentials(join(directory, "other"), { isDurable: false });
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
    await expect(loadServerCredentials(file, { isDurable: false })).rejects.toThrow("EEXIST");
  });
});
