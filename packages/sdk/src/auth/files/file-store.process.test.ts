import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmod,
  link,
  lstat,
  mkdir,
  readFile,
  readdir,
  readlink,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Credential, LoginRequiredError, createAuthenticator, memoryStore } from "@mgmt/sdk/auth";
import { fileStore } from "@mgmt/sdk/auth/node";
import { thrown } from "../../../test/server.js";
import {
  credential,
  expectStoreError,
  issuer,
  makeFile,
  modeOf,
  text,
} from "../../../test/auth/credential-file.js";
import { credentialFor, startFaultServer } from "../../../test/auth/fault-server.js";
import { asNobody, makeFolder, nobody } from "../../../test/auth/folders.js";
import { setupPrograms } from "../../../test/auth/programs.js";

const makeProgram = setupPrograms();

describe("memoryStore", () => {
  it("stores one credential, optionally an initial one", async () => {
    const store = memoryStore();
    expect(await store.read()).toBeUndefined();
    await store.write(credential);
    expect(await store.read()).toEqual(credential);
    await store.clear();
    expect(await store.read()).toBeUndefined();
    expect(await memoryStore(credential).read()).toEqual(credential);
  });
});

describe("fileStore", () => {
  it("stores a credential as JSON across stores, processes and restarts", async () => {
    const file = await makeFile();
    await fileStore(file).write(credential);
    expect(await fileStore(file).read()).toEqual(credential);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(credential);
    await fileStore(file).clear();
    expect(await fileStore(file).read()).toBeUndefined();
    expect(await readdir(dirname(file))).toEqual([]);
    await fileStore(file).clear();
  });

  it("creates the file with mode 0600 and its folders with 0700, whatever the umask", async () => {
    const file = join(await makeFolder(), "deep/er/credentials.json");
    const before = process.umask(0);
    await fileStore(file).write(credential);
    process.umask(before);
    expect(await modeOf(file)).toBe("600");
    expect(await modeOf(dirname(file))).toBe("700");
    expect(await modeOf(dirname(dirname(file)))).toBe("700");
  });

  it("leaves a folder that is there as it is, and makes a file that others could read private", async () => {
    const file = await makeFile(text, 0o644);
    await chmod(dirname(file), 0o755);
    await fileStore(file).write(credential);
    expect(await modeOf(file)).toBe("600");
    expect(await modeOf(dirname(file))).toBe("755");
  });

  it("replaces the file as a whole: who has the old one open, or a link to it, keeps the old one", async () => {
    const file = await makeFile(text);
    await link(file, `${file}.old`);
    await fileStore(file).write({ ...credential, accessToken: "next" });
    expect(await readFile(`${file}.old`, "utf8")).toBe(text);
    expect(await fileStore(file).read()).toMatchObject({ accessToken: "next" });
    expect(await readdir(dirname(file))).toEqual(["credentials.json", "credentials.json.old"]);
  });

  it("preserves a symbolic link", async () => {
    const folder = await makeFolder();
    await mkdir(join(folder, "dotfiles"));
    await writeFile(join(folder, "dotfiles/real.json"), text);
    const file = join(folder, "credentials.json");
    await symlink("dotfiles/real.json", file);
    await fileStore(file).write({ ...credential, accessToken: "next" });
    expect((await lstat(file)).isSymbolicLink()).toBe(true);
    expect(await readlink(file)).toBe("dotfiles/real.json");
    expect(await fileStore(file).read()).toMatchObject({ accessToken: "next" });
    expect(await readdir(join(folder, "dotfiles"))).toEqual(["real.json"]);
  });

  it("shows readers the old or the new credential while many write, never a part", async () => {
    const file = await makeFile(text);
    const long = Array.from({ length: 20 }, (_, index) => ({
      ...credential,
      accessToken: String(index).repeat(20_000),
    }));
    const writing = Promise.all(long.map((next) => fileStore(file).write(next)));
    let isWriting = true;
    void writing.finally(() => (isWriting = false));
    while (isWriting) expect((await fileStore(file).read())?.issuer).toBe(issuer);
    await writing;
    expect(await readdir(dirname(file))).toEqual(["credentials.json"]);
  });

  it("removes what writers that were killed have left, and nothing else", async () => {
    const file = await makeFile(text);
    const left = [`${file}.AbCdEfGhIjKl.tmp`, `${file}.fresh.tmp`, `${file}.backup`, `${file}2.x.tmp`];
    for (const each of left) await writeFile(each, text);
    const longAgo = new Date(Date.now() - 120_000);
    for (const each of left.filter((name) => !name.includes("fresh"))) await utimes(each, longAgo, longAgo);
    await fileStore(file).write(credential);
    expect((await readdir(dirname(file))).sort()).toEqual([
      "credentials.json",
      "credentials.json.backup",
      "credentials.json.fresh.tmp",
      "credentials.json2.x.tmp",
    ]);
  });

  it.each<[string, string]>([
    ["empty", ""],
    ["blank", " \n"],
    ["cut off", text.slice(0, -20)],
    ["null", "null"],
    ["a list", "[]"],
    ["without a token", JSON.stringify({ ...credential, accessToken: undefined })],
  ])("reports a file as corrupt that is %s, and leaves it unchanged", async (_, content) => {
    const file = await makeFile(content);
    await expectStoreError(fileStore(file).read(), "auth:store_corrupt", file);
    const oauth = { authUrl: issuer, clientId: "app" };
    const { token } = createAuthenticator({ ...oauth, store: fileStore(file) });
    await expectStoreError(token(), "auth:store_corrupt", file);
    expect(await readFile(file, "utf8")).toBe(content);
    await fileStore(file).write(credential);
    expect(await token()).toBe("canary-access");
  });

  it("accepts a file with unknown fields", async () => {
    const file = await makeFile(JSON.stringify({ ...credential, future: { field: 1 } }));
    expect(await fileStore(file).read()).toMatchObject(credential);
  });

  it("reports that a file cannot be read: a folder, a file of another user, a folder that is a file", async () => {
    const folder = await makeFolder();
    await expectStoreError(fileStore(folder).read(), "auth:store_unreadable", folder);
    const secret = await makeFile(text, 0o000);
    await asNobody(() => expectStoreError(fileStore(secret).read(), "auth:store_unreadable", secret));
    const below = join(await makeFile(text), "credentials.json");
    await expectStoreError(fileStore(below).read(), "auth:store_unreadable", below);
    await expectStoreError(fileStore(below).write(credential), "auth:store_failed", below);
  });

  it("preserves the old credential when the disk is full, and detects it before a refresh token is used", async () => {
    const file = await makeFile(text, 0o644);
    const program = await makeProgram(`
      import { fileStore } from "@mgmt/sdk/auth/node";
      const store = fileStore(process.argv[2]);
      const credential = await store.read();
      for (const work of [() => store.write(credential), () => store.probe(), () => store.reserve()]) {
        await work().catch((error) => console.log(error.code + " " + error.message));
      }
    `);
    // A file size limit of zero acts like a full disk.
    const full = spawn(
      "bash",
      ["-c", 'ulimit -f 0; exec "$0" "$@"', process.execPath, program, file],
      nobody,
    );
    let printed = "";
    full.stdout.on("data", (chunk: Buffer) => (printed += String(chunk)));
    await once(full, "close");
    const line = `auth:store_failed ${file} could not be written (EFBIG)\n`;
    expect(printed).toBe(line + line + line);
    expect(await readFile(file, "utf8")).toBe(text);
    expect(await readdir(dirname(file))).toEqual(["credentials.json"]);
  });

  it("ends the login at the next refresh when its file was deleted", async () => {
    const fault = await startFaultServer();
    const file = await makeFile(JSON.stringify(credentialFor(fault, 3600)));
    const store = fileStore(file);
    const { token } = createAuthenticator({ authUrl: fault.baseUrl, clientId: "app", store });
    expect(await token()).toBe("access-0");
    await store.clear();
    expect(await token()).toBe("access-0");
    expect(await thrown(token({ rejected: "access-0" }))).toBeInstanceOf(LoginRequiredError);
    expect(fault.tokenRequests).toEqual([]);
  });

  it("fails the call with a clear error when it may not be read, and uses no refresh token", async () => {
    const fault = await startFaultServer();
    const file = await makeFile(JSON.stringify(credentialFor(fault, -1)), 0o000);
    const { token } = createAuthenticator({
      ...{ authUrl: fault.baseUrl, clientId: "app", store: fileStore(file) },
    });
    await asNobody(() => expectStoreError(token(), "auth:store_unreadable", file));
    expect(fault.tokenRequests).toEqual([]);
    await chmod(file, 0o600);
    expect(await token()).toBe("access-1");
  });

  it("refuses to write a file that is marked read-only, although its folder would allow replacing it", async () => {
    const file = await makeFile(text, 0o400);
    await expectStoreError(fileStore(file).write(credential), "auth:store_read_only", file);
    await expectStoreError(fileStore(file).probe?.() ?? Promise.resolve(), "auth:store_read_only", file);
    expect(await readFile(file, "utf8")).toBe(text);
    expect(await modeOf(file)).toBe("400");
    expect(await readdir(dirname(file))).toEqual(["credentials.json"]);
  });

  it("reports a read-only folder when writing, clearing and locking", async () => {
    const file = await makeFile(text, 0o644);
    const store = fileStore(file);
    await chmod(dirname(file), 0o555);
    await asNobody(async () => {
      await expectStoreError(store.write(credential), "auth:store_read_only", file);
      await expectStoreError(store.clear(), "auth:store_read_only", file);
      const { signal } = new AbortController();
      const locked = store.lock?.(async () => undefined, { signal }) ?? Promise.resolve();
      await expectStoreError(locked, "auth:store_read_only", `${file}.lock`);
      expect(await store.read()).toEqual(credential);
    });
    await chmod(dirname(file), 0o755);
    expect(await readdir(dirname(file))).toEqual(["credentials.json"]);
  });

  it("uses an unexpired token and no refresh token when it cannot be written", async () => {
    const fault = await startFaultServer();
    for (const [secondsLeft, answer] of [
      [20, "access-0"],
      [-1, undefined],
    ] as const) {
      const stored: Credential = credentialFor(fault, secondsLeft);
      const file = await makeFile(JSON.stringify(stored), 0o400);
      const store = fileStore(file);
      const reported: unknown[] = [];
      const { token } = createAuthenticator({
        ...{ authUrl: fault.baseUrl, clientId: "app", store },
        onBackgroundError: (error) => reported.push(error),
      });
      if (answer === undefined) await expectStoreError(token(), "auth:store_read_only", file);
      else expect(await token()).toBe(answer);
      expect(reported).toHaveLength(answer === undefined ? 0 : 1);
      expect(fault.tokenRequests).toEqual([]);
      expect(await store.read()).toEqual(stored);
      await chmod(file, 0o600);
      expect(await token({ rejected: "access-0" })).toMatch(/^access-[12]$/);
      fault.tokenRequests.length = 0;
    }
  });
});
