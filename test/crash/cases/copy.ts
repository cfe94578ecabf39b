import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { MgmtDev } from "../mgmt-dev.js";
import { Violation } from "../violation.js";
import { readMarker, writeMarker } from "../tenant-sql.js";
import type { CrashCase } from "./crash-case.js";
import { callOk, isReady, makeProject } from "./service.js";

/** Copies the data directory of a platform while it runs, and when it has ended. The second copy must run beside the original. */
export const copiedDirectory: CrashCase = {
  name: "copy",
  run: async ({ directory, log }) => {
    const folder = async (name: string): Promise<string> => {
      await mkdir(join(directory, name), { recursive: true });
      return join(directory, name);
    };
    const original = new MgmtDev(await folder("original"));
    const early = new MgmtDev(await folder("early"));
    const copy = new MgmtDev(await folder("copy"));
    try {
      await original.start();
      const { url, databaseId } = await makeProject(original, "shop");
      await writeMarker(url, 1);

      await cp(original.dataDir, early.dataDir, {
        recursive: true,
        // Neither sockets nor named pipes can be copied.
        filter: (path) => !/\.s\.PGSQL|\.pipe$/.test(path),
      });
      const { child, line } = await early.launch();
      const text = await line;
      child.kill("SIGKILL");
      if (!text.includes("platform:data_dir_in_use")) {
        throw new Violation(`A directory that was copied while it was used was not refused: ${text}`);
      }
      log("a copy of a directory that was used is refused");

      await original.stop();
      await cp(original.dataDir, copy.dataDir, { recursive: true });
      await original.start();
      await copy.start();
      await isReady(copy, databaseId);
      const { url: copied } = await makeProject(copy, "only in the copy");
      await writeMarker(copied, 2);
      if ((await readMarker(url)) !== 1) throw new Violation("The copy changed the original");
      const { data } = await callOk(original, "GET", "/v1/projects");
      if (!Array.isArray(data) || data.length !== 1)
        throw new Violation("The original has a project of the copy");
      log("a copy runs beside the original");
      await copy.stop();
      await original.stop();
    } finally {
      for (const dev of [original, early, copy]) dev.killEverything();
    }
  },
};
