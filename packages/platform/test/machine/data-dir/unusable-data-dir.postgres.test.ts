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
import { basename, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { isRunningAsRoot } from "../../../src/machine/data-dir/postgres-account.js";
import { PlatformError, startPlatform } from "@mgmt/platform";
import { failure, root, start, useRoot } from "../../data-dirs.js";
import { createRecordKeyList } from "@mgmt/cluster/rows/record-keys";
import { call, makeProject } from "../../api.js";
import { endedPid, lockText } from "../../lock-owners.js";
import { connectToRecords } from "../../records-session.js";

useRoot();

describe("a data directory that cannot be used", () => {
  let whole: string;

  beforeAll(async () => {
    whole = join(root, "whole");
    const platform = await start("whole");
    await makeProject(platform.ready);
    await platform.stop();
  });

  /** Selects the files that are checked before Postgres starts. Copying the rest would only take time. */
  const isChecked = async (path: string): Promise<boolean> =>
    !path.includes("/postgres/") || ["PG_VERSION", "global", "pg_control"].includes(basename(path));

  const contents = async (directory: string): Promise<Record<string, string>> => {
    const files: Record<string, string> = {};
    for (const name of await readdir(directory)) {
      files[name] = await readFile(join(directory, name), "base64").catch(() => "a directory");
    }
    return files;
  };

  it.each([
    ["platform.json is not JSON", "platform.json", "{", /platform\.json cannot be read/],
    ["platform.json is something else", "platform.json", '{"format":1}', /platform\.json cannot be read/],
    ["platform.json is missing", "platform.json", undefined, /there is no platform\.json/],
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

  it.each([0, 2, "2", null])("is refused with its own code when its format is %j", async (format) => {
    const text = JSON.stringify({ format });
    const error = await unsafe((directory) => writeFile(join(directory, "platform.json"), text));
    expect(error.code).toBe("platform:data_dir_incompatible");
    expect(error.message).toBe(
      `The data directory ${join(root, "unsafe")} has a format that this version of @mgmt/platform cannot read`,
    );
    expect(error.hint).toBe(
      "Nothing in it was changed. Use the version of @mgmt/platform that made it. " +
        "Choose another directory with --data-dir, or use --ephemeral.",
    );
    expect(await readFile(join(root, "unsafe", "platform.json"), "utf8")).toBe(text);
  });

  it.each([
    [
      "its tables have an unknown version",
      "insert into mgmt.migrations values (999)",
      "platform:data_dir_incompatible",
    ],
    ["its tables have no records", "delete from mgmt.server", "platform:data_dir_corrupt"],
    [
      "a secret in its tables was changed",
      `update mgmt.server set doc = doc || '{"cursorKey": "in clear"}' where id = 'state'`,
      "platform:data_dir_corrupt",
    ],
  ])("is refused when %s, which stay as they are", async (_case, statement, code) => {
    const directory = join(root, "changed-tables");
    await rm(directory, { recursive: true, force: true });
    const platform = await start("changed-tables");
    const client = await connectToRecords(directory, platform.ready);
    await client.query(statement);
    await client.end();
    await platform.stop();
    const before = await contents(directory);
    const error = await failure("changed-tables");
    expect(error.code).toBe(code);
    expect(error.hint).toContain("Nothing in it was changed");
    const changing = ["control-secret", "postgres.log"];
    for (const name of changing) delete before[name];
    expect(await contents(directory)).toMatchObject(before);
  });

  it.each([
    ["missing", undefined, "platform:record_keys_missing"],
    ["no keys", "{}", "platform:record_keys_invalid"],
    ["those of another directory", createRecordKeyList(), "platform:record_keys_unknown"],
  ])("is refused when its keys are %s, and opens again with its own", async (_case, text, code) => {
    const directory = join(root, "keys");
    const file = join(directory, "record-keys");
    await rm(directory, { recursive: true, force: true });
    await cp(whole, directory, { recursive: true });
    if (text === undefined) await rm(file);
    else await writeFile(file, text);
    const before = await contents(directory);
    const error = await failure("keys");
    expect(error).toMatchObject({ code, message: expect.stringContaining(file) });
    expect(error.hint).toMatch(
      /put the file back from a copy of this data directory|file was lost, put it back.*earlier version.*mgmt db dump/i,
    );
    delete before["postgres.log"];
    expect(await contents(directory)).toMatchObject(before);

    await cp(join(whole, "record-keys"), file);
    const platform = await start("keys");
    expect(await call(platform.ready, "GET", "/v1/projects")).toHaveLength(1);
    await platform.stop();
  });

  it("is refused when its records do not contain its databases, unless these records are accepted", async () => {
    const directory = join(root, "unrecorded");
    const platform = await start("unrecorded");
    for (let count = 0; count < 2; count += 1) await makeProject(platform.ready);
    const client = await connectToRecords(directory, platform.ready);
    await client.query("delete from mgmt.connections; delete from mgmt.databases");
    await client.end();
    await platform.stop();
    const error = await failure("unrecorded");
    expect(error).toMatchObject({
      code: "platform:data_dir_corrupt",
      message: expect.stringContaining("do not contain 2 of the 2 databases"),
      hint: expect.stringContaining("--accept-records"),
    });
    const lines: string[] = [];
    const onLog = (line: string) => lines.push(line);
    const accepting = await startPlatform({ port: 0, dataDir: directory, acceptRecords: true, onLog });
    await accepting.stop();
    expect(lines.filter((line) => line.includes("kept as kept."))).toHaveLength(2);
    await (await start("unrecorded")).stop();
  });

  it("loses the files that a killed process has not finished, and no others", async () => {
    const notOurs = ["notes.0123456789ab.tmp", "token.notes.tmp"];
    await unsafe(async (directory) => {
      const unfinished = ["token", "postgres", "postgres/pg_hba.conf"];
      for (const name of [...unfinished.map((each) => `${each}.0123456789ab.tmp`), ...notOurs]) {
        await writeFile(join(directory, name), "");
      }
      const ended = lockText({ pid: endedPid });
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

  it.runIf(isRunningAsRoot()).each([".", "platform.json", "postgres"])(
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
    expect((await stat(directory)).mode & 0o077).toBe(isRunningAsRoot() ? 0o011 : 0);
    await platform.stop();
  });

  it("is refused when it contains other files", async () => {
    await mkdir(join(root, "documents"));
    await writeFile(join(root, "documents", "thesis.txt"), "years of work");
    const error = await failure("documents");
    expect(error).toMatchObject({ code: "platform:data_dir_corrupt" });
    expect(error.message).toContain("mgmt dev did not create it");
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
