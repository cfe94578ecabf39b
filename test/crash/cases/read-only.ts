import { execFile, spawnSync } from "node:child_process";
import { chmod, mkdir, readlink } from "node:fs/promises";
import { promisify } from "node:util";
import { textAt } from "../request.js";
import { readMarker, writeMarker } from "../tenant-sql.js";
import { MgmtDev } from "../mgmt-dev.js";
import { Violation, eventually } from "../violation.js";
import type { CrashCase } from "./cuts.js";

const isolated = ["--mount", "--propagation", "private"];

const mountsOf = (pid: number): Promise<string | undefined> =>
  readlink(`/proc/${String(pid)}/ns/mnt`).catch(() => undefined);

const mount = (...words: string[]): Promise<boolean> =>
  promisify(execFile)("mount", words).then(
    () => true,
    () => false,
  );

/** Starts the platform while the file system of its data directory is read-only, and when it can be written again. */
export const readOnly: CrashCase = async (directory, log) => {
  if (spawnSync("unshare", [...isolated, "true"]).status !== 0)
    return log("not possible: this account cannot mount a file system");
  if ((await mountsOf(process.pid)) === (await mountsOf(process.ppid))) {
    // No other program may see the mount.
    const program = [process.execPath, ...process.execArgv, process.argv[1] ?? "", "--case", "read-only"];
    const { status } = spawnSync("unshare", [...isolated, ...program], { stdio: "inherit" });
    if (status !== 0) throw new Violation("read-only failed");
    return;
  }
  const dev = new MgmtDev(directory);
  const remount = (mode: "ro" | "rw"): Promise<boolean> => mount("-o", `remount,${mode}`, dev.dataDir);
  await mkdir(dev.dataDir);
  await mount("-t", "tmpfs", "-o", "size=1g,mode=755", "mgmt-crash", dev.dataDir);
  await chmod(dev.dataDir, 0o755);
  try {
    await dev.start();
    const { body } = await dev.call(dev.tokens[0], "POST", "/v1/projects", { name: "shop" });
    const url = textAt(body, "data", "database", "connectionString");
    await eventually("The database is not ready", () => writeMarker(url, 1).then(() => undefined));
    await dev.stop();
    if (!(await remount("ro"))) throw new Violation("The file system cannot be made read-only");
    const text = await (await dev.launch()).line;
    if (!/platform:data_dir_\w+/.test(text))
      throw new Violation(`A read-only directory was not refused: ${text}`);
    await remount("rw");
    await dev.start();
    await eventually("A database has lost its data", async () =>
      (await readMarker(url)) === 1 ? undefined : "it has no marker",
    );
    log("a read-only data directory is refused, and used when it can be written");
    await dev.stop();
  } finally {
    dev.killEverything();
    spawnSync("umount", ["--lazy", dev.dataDir]);
  }
};
