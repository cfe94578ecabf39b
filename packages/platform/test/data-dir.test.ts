import {
  chmod,
  chown,
  cp,
  mkdir,
  readFile,
  readdir,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DirectoryLock, removeStale } from "../src/data-dir/lock.js";
import { ownIdentity } from "../src/data-dir/process-identity.js";
import { ephemeralBase } from "../src/directories.js";
import { isRoot } from "../src/postgres/account.js";
import { type Platform, PlatformError, startPlatform } from "../src/index.js";
import { temporaryDirectory } from "./cluster.js";
import { call, control, makeProject, query, finalStatus } from "./api.js";

let root: string;

beforeAll(async () => {
  root = await temporaryDirectory(await ephemeralBase());
});
afterAll(() => rm(root, { recursive: true, force: true }));

const start = (dataDir: string, port = 0): Promise<Platform> =>
  startPlatform({ port, dataDir: join(root, dataDir) });

const failure = async (dataDir: string, port = 0): Promise<PlatformError> => {
  const outcome = await start(dataDir, port).catch((error: unknown) => error);
  expect(outcome).toBeInstanceOf(PlatformError);
  return outcome as PlatformError;
};

describe("a persistent data directory", () => {
  it("preserves projects, data, connection strings, token and URLs between runs", async () => {
    const first = await start("kept");
    const { id, database } = await makeProject(first.ready);
    await query(database.connectionString, "create table notes as select 'kept' as text");
    const backup = await control(first.ready, "POST", `/databases/${database.id}/backups`);
    await first.stop();
    await expect(query(database.connectionString, "select 1")).rejects.toMatchObject({
      code: "ECONNREFUSED",
    });

    const second = await start("kept");
    const { controlSecretFile, ...same } = first.ready;
    expect(second.ready).toMatchObject(same);
    expect(await query(database.connectionString, "select text from notes")).toEqual([{ text: "kept" }]);
    expect((await call(second.ready, "GET", `/v1/projects/${id}`)).id).toBe(id);

    const source = { type: "backup", databaseId: database.id, backupId: backup.id };
    const copy = await call(second.ready, "POST", `/v1/projects/${id}/databases`, { source });
    expect(await finalStatus(second.ready, copy.id)).toBe("ready");
    expect(await query(copy.connectionString, "select text from notes")).toEqual([{ text: "kept" }]);
    await second.stop();
    expect(await readdir(join(root, "kept"))).not.toContain("platform.lock");
    await expect(stat(controlSecretFile)).resolves.toBeTruthy();
  });

  it("preserves the port of its connection strings and its certificates, even from a version without a front", async () => {
    const path = join(root, "kept", "platform.json");
    const manifest = JSON.parse(await readFile(path, "utf8"));
    const { directPort, ...postgres } = manifest.postgres;
    expect(directPort).not.toBe(postgres.port);
    await writeFile(path, JSON.stringify({ ...manifest, postgres }));
    const certificate = await readFile(join(root, "kept", "tls", "ca.pem"), "utf8");

    const platform = await start("kept");
    const { database } = await makeProject(platform.ready);
    expect(new URL(database.connectionString).port).toBe(String(postgres.port));
    expect(platform.ready.postgresPort).not.toBe(postgres.port);
    expect(await readFile(platform.ready.caFile, "utf8")).toBe(certificate);
    await platform.stop();
  });

  it("uses another direct port when the last one is in use", async () => {
    const manifest = JSON.parse(await readFile(join(root, "kept", "platform.json"), "utf8"));
    const { port, directPort } = manifest.postgres;
    const other = createServer().listen(directPort, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const platform = await start("kept");
    expect(platform.ready.postgresPort).not.toBe(directPort);
    const { database } = await makeProject(platform.ready);
    expect(new URL(database.connectionString).port).toBe(String(port));
    await platform.stop();
    await new Promise((resolve) => other.close(resolve));
  });

  it("makes secrets readable by its owner only", async () => {
    for (const name of ["platform.json", "token", "control-secret", "postgres.log", "tls/ca-key.pem"]) {
      expect([name, (await stat(join(root, "kept", name))).mode & 0o777]).toEqual([name, 0o600]);
    }
    expect((await stat(join(root, "kept", "postgres"))).mode & 0o777).toBe(0o700);
    expect((await readdir(join(root, "kept"))).filter((name) => name.includes("state"))).toEqual([]);
  });

  it("returns to the state of the first start on reset, with the same token and workspace", async () => {
    const first = await start("reset");
    await first.stop();
    const second = await start("reset");
    const { database } = await makeProject(second.ready);
    await control(second.ready, "POST", "/reset", {});
    expect(await call(second.ready, "GET", "/v1/projects")).toEqual([]);
    await expect(query(database.connectionString, "select 1")).rejects.toMatchObject({ code: "28P01" });
    await second.stop();
    const third = await start("reset");
    expect(third.ready).toMatchObject({ token: first.ready.token, workspaceId: first.ready.workspaceId });
    expect(await call(third.ready, "GET", "/v1/projects")).toEqual([]);
    await third.stop();
  });

  it("gets a new token after the old one was deleted", async () => {
    const first = await start("kept");
    const { data } = await (
      await fetch(`${first.ready.baseUrl}/v1/workspaces/${first.ready.workspaceId}/service-tokens`, {
        headers: { authorization: `Bearer ${first.ready.token}` },
      })
    ).json();
    await call(
      first.ready,
      "DELETE",
      `/v1/workspaces/${first.ready.workspaceId}/service-tokens/${data[0].id}`,
    );
    await first.stop();
    const second = await start("kept");
    expect(second.ready.token).not.toBe(first.ready.token);
    await call(second.ready, "GET", "/v1/projects");
    await second.stop();
  });

  it("reports which port is in use: the one of the API or the one of the connection strings", async () => {
    const manifest = JSON.parse(await readFile(join(root, "kept", "platform.json"), "utf8"));
    const taken = async (port: number, work: () => Promise<void>): Promise<void> => {
      const other = createServer().listen(port, "127.0.0.1");
      await new Promise((resolve) => other.once("listening", resolve));
      await work();
      await new Promise((resolve) => other.close(resolve));
    };
    await taken(manifest.port, async () => {
      expect(await failure("kept", manifest.port)).toMatchObject({ code: "platform:port_taken" });
      const elsewhere = await start("kept");
      expect(elsewhere.ready.baseUrl).not.toContain(`:${String(manifest.port)}`);
      await elsewhere.stop();
    });
    await taken(manifest.postgres.port, async () => {
      const error = await failure("kept");
      expect(error.code).toBe("platform:port_taken");
      expect(error.message).toContain(`Port ${String(manifest.postgres.port)}`);
    });
  });
});

describe("a data directory in use", () => {
  it("is refused with the id of the process that uses it, which keeps running", async () => {
    const first = await start("in-use");
    const error = await failure("in-use");
    expect(error.code).toBe("platform:data_dir_in_use");
    expect(error.message).toContain(String(process.pid));
    await call(first.ready, "GET", "/v1/projects");
    await first.stop();
  });

  it("is taken over when the process of the lock has ended or its id was reused", async () => {
    const directory = join(root, "in-use");
    for (const owner of [
      { pid: 999_999_999, started: null },
      { pid: process.pid, started: "long ago" },
      "broken",
    ]) {
      await writeFile(join(directory, "platform.lock"), JSON.stringify(owner));
      const lock = await DirectoryLock.acquire(directory);
      await expect(DirectoryLock.acquire(directory)).rejects.toMatchObject({
        code: "platform:data_dir_in_use",
      });
      await lock.release();
    }
    expect((await readdir(directory)).filter((name) => name.startsWith("platform.lock"))).toEqual([]);
  });

  it("keeps a lock that another process has taken after it was found to be stale", async () => {
    const directory = await temporaryDirectory();
    await DirectoryLock.acquire(directory);
    const own = join(directory, "own");
    await writeFile(own, JSON.stringify(await ownIdentity()));
    await removeStale(join(directory, "platform.lock"), own);
    await expect(DirectoryLock.acquire(directory)).rejects.toMatchObject({
      code: "platform:data_dir_in_use",
    });
    await rm(directory, { recursive: true });
  });

  it("is locked by exactly one of many processes that find a stale lock", async () => {
    const directory = join(root, "in-use");
    await writeFile(join(directory, "platform.lock"), JSON.stringify({ pid: 999_999_999, started: null }));
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, () => DirectoryLock.acquire(directory)),
    );
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await rm(join(directory, "platform.lock"));
  });
});

describe("a data directory that cannot be used", () => {
  let whole: string;
  let state: object;

  beforeAll(async () => {
    whole = join(root, "whole");
    const platform = await start("whole");
    await makeProject(platform.ready);
    state = await control(platform.ready, "GET", "/snapshot");
    await platform.stop();
  });

  /** Selects the files that are checked before Postgres starts. Copying the rest would only take time. */
  const isChecked = async (path: string): Promise<boolean> =>
    !path.includes("/postgres/") || ["PG_VERSION", "global", "pg_control"].includes(basename(path));

  /** Makes the copy look like one of an earlier version, whose state files are valid as far as they are checked. */
  const makeFormat1 = async (directory: string): Promise<void> => {
    const path = join(directory, "platform.json");
    const manifest = JSON.parse(await readFile(path, "utf8"));
    await writeFile(path, JSON.stringify({ ...manifest, format: 1 }));
    for (const name of ["state.json", "initial-state.json"]) {
      await writeFile(join(directory, name), JSON.stringify(state), { mode: 0o600 });
    }
  };

  const contents = async (directory: string): Promise<Record<string, string>> => {
    const files: Record<string, string> = {};
    for (const name of await readdir(directory)) {
      files[name] = await readFile(join(directory, name), "base64").catch(() => "a directory");
    }
    return files;
  };

  it.each([
    ["platform.json is not JSON", "platform.json", "{", /platform\.json cannot be read/],
    ["platform.json is something else", "platform.json", '{"format":2}', /platform\.json cannot be read/],
    ["platform.json is missing", "platform.json", undefined, /contains no platform\.json/],
    ["its Postgres files have another version", "postgres/PG_VERSION", "12\n", /have version 12/],
    [
      "its Postgres files have no version",
      "postgres/PG_VERSION",
      undefined,
      /some of its Postgres files are missing/,
    ],
    ["its Postgres files are missing", "postgres", undefined, /some of its Postgres files are missing/],
  ])("is refused and left unchanged when %s", async (_case, name, text, message) => {
    const directory = join(root, "broken");
    await rm(directory, { recursive: true, force: true });
    await cp(whole, directory, { recursive: true, filter: isChecked });
    if (text === undefined) await rm(join(directory, name), { recursive: true });
    else await writeFile(join(directory, name), text);
    const before = await contents(directory);

    const error = await failure("broken");
    expect(error.code).toBe("platform:data_dir_corrupt");
    expect(error.message).toMatch(message);
    expect(error.hint).toContain("--data-dir");
    expect(await contents(directory)).toEqual(before);
  });

  it.each([
    ["state.json is not JSON", "state.json", "", /state\.json cannot be read/],
    ["state.json is something else", "state.json", '{"version":1}', /no valid state of the server/],
    ["state.json has another version", "state.json", '{"version":99}', /no valid state of the server/],
    ["state.json is missing", "state.json", undefined, /state\.json cannot be read/],
    ["initial-state.json is missing", "initial-state.json", undefined, /initial-state\.json cannot be read/],
  ])("of an earlier version is refused and left unchanged when %s", async (_case, name, text, message) => {
    const directory = join(root, "broken");
    await rm(directory, { recursive: true, force: true });
    await cp(whole, directory, { recursive: true, filter: isChecked });
    await makeFormat1(directory);
    if (text === undefined) await rm(join(directory, name));
    else await writeFile(join(directory, name), text);
    const before = await contents(directory);

    const error = await failure("broken");
    expect(error.code).toBe("platform:data_dir_corrupt");
    expect(error.message).toMatch(message);
    expect(await contents(directory)).toEqual(before);
  });

  it("is refused with its own code when a newer version has written platform.json", async () => {
    const error = await unsafe((directory) => writeFile(join(directory, "platform.json"), '{"format":3}'));
    expect(error.code).toBe("platform:data_dir_newer");
    expect(error.hint).toContain("Update @mgmt/platform");
  });

  it("loses the files that a killed process has not finished, and no others", async () => {
    const notOurs = ["notes.0123456789ab.tmp", "token.notes.tmp"];
    await unsafe(async (directory) => {
      const unfinished = ["token", "postgres", "postgres/pg_hba.conf"];
      for (const name of [...unfinished.map((each) => `${each}.0123456789ab.tmp`), ...notOurs]) {
        await writeFile(join(directory, name), "");
      }
      const ended = JSON.stringify({ pid: 2 ** 22 + 1, started: null });
      await writeFile(join(directory, "platform.lock.0123456789ab"), ended);
    });
    const found = await readdir(join(root, "unsafe"), { recursive: true });
    expect(found.filter((name) => /\.(tmp|lock\.)/.test(name)).sort()).toEqual(notOurs);
  });

  /** Copies the data directory, changes the copy, and returns the error of a start on it. */
  const unsafe = async (change: (directory: string) => Promise<void>): Promise<PlatformError> => {
    const directory = join(root, "unsafe");
    await rm(directory, { recursive: true, force: true });
    await cp(whole, directory, { recursive: true, filter: isChecked });
    await change(directory);
    return failure("unsafe");
  };

  it.each(["platform.json", "token", "postgres.log", "postgres", "tls"])(
    "is refused when %s is a symbolic link, which is not followed",
    async (name) => {
      const target = join(root, `target-of-${name}`);
      const error = await unsafe(async (directory) => {
        await rm(target, { recursive: true, force: true });
        await rename(join(directory, name), target);
        await symlink(target, join(directory, name));
      });
      expect(error.code).toBe("platform:data_dir_unsafe");
      expect(error.message).toContain(`${name} cannot be trusted: it is a symbolic link`);
    },
  );

  it("does not create a log through a dangling link", async () => {
    const target = join(root, "planted.log");
    const error = await unsafe(async (directory) => {
      await rm(join(directory, "postgres.log"), { force: true });
      await symlink(target, join(directory, "postgres.log"));
    });
    expect(error.code).toBe("platform:data_dir_unsafe");
    await expect(stat(target)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("is refused when it is itself a symbolic link", async () => {
    await symlink(whole, join(root, "link"));
    const error = await failure("link");
    expect(error.code).toBe("platform:data_dir_unsafe");
    expect(error.hint).toContain("--data-dir");
  });

  it.each([".", "platform.json", "control-secret"])(
    "is refused when others can write to %s",
    async (name) => {
      for (const mode of [0o770, 0o707]) {
        const error = await unsafe((directory) => chmod(join(directory, name), mode));
        expect(error.code).toBe("platform:data_dir_unsafe");
        expect(error.message).toContain("other accounts can write to it");
      }
    },
  );

  it.runIf(isRoot()).each([".", "platform.json", "postgres"])(
    "is refused when %s belongs to another account",
    async (name) => {
      const stranger = 54_321;
      const error = await unsafe((directory) => chown(join(directory, name), stranger, stranger));
      expect(error.code).toBe("platform:data_dir_unsafe");
      expect(error.message).toContain("belongs to another account");
      expect((await stat(join(root, "unsafe", name))).uid).toBe(stranger);
    },
  );

  it("takes the permission to write to an empty directory from others", async () => {
    const directory = join(root, "empty");
    await mkdir(directory);
    await chmod(directory, 0o777);
    const platform = await start("empty");
    expect((await stat(directory)).mode & 0o077).toBe(isRoot() ? 0o011 : 0);
    await platform.stop();
  });

  it("is refused when it contains other files", async () => {
    await mkdir(join(root, "documents"));
    await writeFile(join(root, "documents", "thesis.txt"), "years of work");
    const error = await failure("documents");
    expect(error).toMatchObject({ code: "platform:data_dir_corrupt" });
    expect(error.message).toContain("is not a data directory");
    expect(await readdir(join(root, "documents"))).toEqual(["thesis.txt"]);
  });

  it("is refused where no directory can be created", async () => {
    await expect(startPlatform({ port: 0, dataDir: "/proc/data" })).rejects.toMatchObject({
      code: "platform:data_dir_unwritable",
    });
  });

  it("is refused when the path, or a parent of it, is a file", async () => {
    await writeFile(join(root, "file"), "");
    for (const path of ["file", "file/below"]) {
      expect(await failure(path)).toMatchObject({ code: "platform:data_dir_unwritable" });
    }
  });

  it("is usable after it was restored from a copy, regardless of who owns the files", async () => {
    await cp(whole, join(root, "copied"), { recursive: true });
    const platform = await start("copied");
    await makeProject(platform.ready);
    await platform.stop();
  });

  it("is initialized again when its first start was interrupted", async () => {
    const directory = join(root, "cut-short");
    await cp(whole, directory, { recursive: true });
    const manifest = JSON.parse(await readFile(join(directory, "platform.json"), "utf8"));
    manifest.postgres.complete = false;
    await writeFile(join(directory, "platform.json"), JSON.stringify(manifest));
    const platform = await start("cut-short");
    await makeProject(platform.ready);
    await platform.stop();
  });
});
