import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { MgmtDev } from "../mgmt-dev.js";
import { textAt } from "../outcome.js";
import { readMarker, writeMarker } from "../tenant-sql.js";
import { Violation } from "../violation.js";
import type { CrashCase } from "./crash-case.js";
import { callOk, isReady, makeProject } from "./service.js";

const hour = 3_600_000;

/** Jumps of the clock, in milliseconds from the real time. */
const offsets = [24 * hour, -24 * hour, 30 * 24 * hour, 0];

/** A module that moves the clock of Node.js by the milliseconds in a file. */
const clockModule = (file: string): string => `
import { readFileSync } from "node:fs";
const RealDate = Date;
const realNow = Date.now;
const now = () => realNow() + Number(readFileSync(${JSON.stringify(file)}, "utf8"));
globalThis.Date = class extends RealDate {
  constructor(...values) {
    if (values.length === 0) super(now());
    else super(...values);
  }
  static now() {
    return now();
  }
};
`;

/** Moves the clock of the platform. It must stay available, and finish the work that it has begun. */
export const clock: CrashCase = {
  name: "clock",
  run: async ({ directory, log }) => {
    const file = join(directory, "offset");
    const module = join(directory, "clock.mjs");
    await writeFile(file, "0");
    await writeFile(module, clockModule(file));
    const dev = new MgmtDev(directory, undefined, { NODE_OPTIONS: `--import=${pathToFileURL(module).href}` });
    try {
      await dev.start();
      const { url } = await makeProject(dev, "before");
      await writeMarker(url, 1);
      for (const offset of offsets) {
        const begun = await callOk(dev, "POST", "/v1/projects", { name: "begun" });
        await writeFile(file, String(offset));
        await dev.prepare();
        await isReady(dev, textAt(begun, "data", "database", "id"));
        const { databaseId, projectId } = await makeProject(dev, "after");
        await callOk(dev, "DELETE", `/v1/projects/${projectId}`);
        const { status } = await dev.call(dev.tokens[0], "GET", `/v1/databases/${databaseId}`);
        if (status !== 404) throw new Violation(`A deleted database was ${String(status)}`);
        if ((await readMarker(url)) !== 1) throw new Violation("A database has lost its data");
        log(`the clock jumped to ${String(offset / hour)} h from now`);
      }
      await dev.stop();
    } finally {
      dev.killEverything();
    }
  },
};
