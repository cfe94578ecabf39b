import { chmod, link, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { rejectForeign, rejectForeignParents } from "./ownership.js";

const names = {
  cluster: "postgres",
  writtenInPlace: ["postgres.log"],
  directories: ["tls"],
  otherFiles: ["platform.json"],
  ignoredPattern: /\.tmp$/,
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "mgmt-owner-"));
  for (const name of ["postgres", "tls"]) await mkdir(join(folder, name), { mode: 0o700 });
  for (const name of ["postgres.log", "platform.json", join("tls", "server.pem")])
    await writeFile(join(folder, name), "", { mode: 0o600 });
});
afterEach(() => rm(folder, { recursive: true }));

describe.skipIf(process.platform === "win32")("a data directory", () => {
  it("is accepted with files of others beside its own", async () => {
    for (const name of ["notes.txt", "platform.json.1.tmp"]) {
      await writeFile(join(folder, name), "");
      await chmod(join(folder, name), 0o666);
    }
    await rm(join(folder, "postgres"), { recursive: true });
    await link(join(folder, "platform.json"), join(folder, "second name"));
    await rejectForeign(folder, names);
  });

  it.each<[string, string, (path: string) => Promise<unknown>]>([
    [".", "other accounts can write to it", (path) => chmod(path, 0o777)],
    ["platform.json", "other accounts can write to it", (path) => chmod(path, 0o666)],
    [
      "platform.json.1",
      "other accounts can write to it",
      (path) => writeFile(path, "").then(() => chmod(path, 0o666)),
    ],
    ["tls", "other accounts can write to it", (path) => chmod(path, 0o777)],
    ["tls/server.pem", "other accounts can write to it", (path) => chmod(path, 0o606)],
    ["tls/added.pem", "it is a symbolic link", (path) => symlink("/etc/passwd", path)],
    ["postgres.log.1", "it is a symbolic link", (path) => symlink("/none", path)],
    ["postgres.log", "it is a hard link", (path) => link(path, join(folder, "second name"))],
    [
      "postgres",
      "it is a symbolic link",
      (path) => rm(path, { recursive: true }).then(() => symlink("/", path)),
    ],
  ])("is refused for %s: %s", async (name, problem, change) => {
    const path = join(folder, name);
    await change(path);
    await expect(rejectForeign(folder, names)).rejects.toMatchObject({
      code: "platform:data_dir_unsafe",
      message: expect.stringContaining(`${name === "." ? folder : path} cannot be trusted: ${problem}`),
    });
  });

  it("is refused where another account could replace it, and not for what does not exist yet", async () => {
    await rejectForeignParents(join(folder, "new", "data"));
    await chmod(folder, 0o777);
    await expect(rejectForeignParents(join(folder, "new"))).rejects.toMatchObject({
      code: "platform:data_dir_unsafe",
      message: expect.stringContaining(`other accounts can write to ${folder}`),
    });
  });

  it("reports that it cannot be read with the error of the system", async () => {
    await expect(rejectForeign(join(folder, "none"), names)).rejects.toMatchObject({ code: "ENOENT" });
  });
});
