import { textAt } from "../request.js";
import { readMarker, writeMarker } from "../tenant-sql.js";
import { Violation, eventually } from "../violation.js";
import type { CrashCase } from "./cuts.js";
import { mount, withOwnMount } from "./own-mount.js";

/** Starts the platform while the file system of its data directory is read-only, and when it can be written again. */
export const readOnly: CrashCase = (directory, log) =>
  withOwnMount({ name: "read-only", directory, size: "1g" }, log, async (dev) => {
    const remount = (mode: "ro" | "rw"): Promise<boolean> => mount("-o", `remount,${mode}`, dev.dataDir);
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
  });
