import { execFile } from "node:child_process";
import { chmod, mkdir } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { killAll } from "../../../packages/platform/test/processes.js";
import { MgmtDev } from "../mgmt-dev.js";
import { readMarker, writeMarker } from "../tenant-sql.js";
import { Violation, eventually } from "../violation.js";
import type { CaseContext, CrashCase } from "./crash-case.js";
import { canHaveOwnMounts, hasOwnMounts, runWithOwnMounts } from "./mount-namespace.js";
import { isReady, makeProject } from "./service.js";

const run = promisify(execFile);

const canRemount = async (path: string, mode: "ro" | "rw"): Promise<boolean> =>
  run("mount", ["-o", `remount,${mode}`, path]).then(
    () => true,
    // It is busy while a file is open for writing.
    () => false,
  );

/** Time in which a restart leaves a moment without open files, in milliseconds. */
const patience = 3_000;

const makeReadOnly = async ({ directory, log }: CaseContext): Promise<void> => {
  const dev = new MgmtDev(directory);
  const path = dev.dataDir;
  await mkdir(path);
  const isMounted = await run("mount", ["-t", "tmpfs", "-o", "size=1g,mode=755", "mgmt-crash", path]).then(
    () => true,
    () => false,
  );
  if (!isMounted) {
    log("not possible: this account cannot mount a file system");
    return;
  }
  try {
    await chmod(path, 0o755);
    await dev.start();
    const { url, databaseId } = await makeProject(dev, "shop");
    await writeMarker(url, 1);
    await dev.stop();

    if (!(await canRemount(path, "ro"))) throw new Error("The file system cannot be made read-only");
    const text = await (await dev.launch()).line;
    if (!/platform:data_dir_\w+/.test(text))
      throw new Violation(`A read-only directory was not refused: ${text}`);
    await canRemount(path, "rw");
    await dev.start();
    await isReady(dev, databaseId);
    log("a read-only data directory is refused, and used when it can be written");

    killAll([await dev.postmaster()]);
    let isReadOnly = false;
    for (const deadline = Date.now() + patience; !isReadOnly && Date.now() < deadline; await sleep(1)) {
      isReadOnly = await canRemount(path, "ro");
    }
    if (isReadOnly) {
      await sleep(patience);
      await canRemount(path, "rw");
    }
    await eventually("The API after its file system was read-only", async () => {
      if (!dev.isRunning) await dev.startAgain();
      return (await readMarker(url)) === 1 ? undefined : "a database has lost its data";
    });
    await isReady(dev, databaseId);
    log(
      isReadOnly
        ? "Postgres restarts when it can write again"
        : "the file system of a platform that runs stays writable",
    );
    await dev.stop();
  } finally {
    dev.killEverything();
    await eventually("The file system cannot be unmounted", async () => {
      await run("umount", [path]);
      return undefined;
    });
  }
};

/** Makes the file system of the data directory read-only, after the platform has ended, and while Postgres is killed. Needs root. */
export const readOnly: CrashCase = {
  name: "read-only",
  run: async (context) => {
    if (await hasOwnMounts()) return makeReadOnly(context);
    if (!canHaveOwnMounts()) return context.log("not possible: this account cannot mount a file system");
    // No other program may see the mount.
    if (!(await runWithOwnMounts(["--case", "read-only"]))) throw new Violation("read-only failed");
  },
};
