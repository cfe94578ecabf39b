import { setTimeout as sleep } from "node:timers/promises";
import { query } from "../../packages/platform/test/api.js";
import { migrations } from "../../packages/platform/src/store/migrations.js";
import { makeOldDirectory } from "../../packages/platform/test/old-data-dir.js";
import type { MgmtDev } from "./mgmt-dev.js";
import { textAt } from "./outcome.js";
import { Violation } from "./violation.js";

/** Number of starts that are killed. */
const starts = 3;

/**
 * Makes a data directory as an earlier version left it, and kills several starts of a platform that migrates it. The next start
 * must have all of its records and databases.
 *
 * @param after Milliseconds until the first kill. The others come later.
 */
export const killMigration = async (dev: MgmtDev, after: number): Promise<void> => {
  const other = await dev.beside();
  const { project } = await makeOldDirectory(other.dataDir, after % migrations.length);
  for (let count = 1; count <= starts; count += 1) {
    const { child } = await other.launch();
    await sleep(after * count);
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }
  await other.start();
  const { status, body } = await other.call(other.tokens[0], "GET", `/v1/databases/${project.database.id}`);
  const state = textAt(body, "data", "status");
  if (status !== 200 || state !== "ready") {
    throw new Violation(`After a killed migration, a database was ${String(status)} ${state}`);
  }
  const rows = await query(project.database.connectionString, "select text from notes");
  if (textAt(rows, 0, "text") !== "kept") throw new Violation("After a killed migration, a table was lost");
  await other.stop();
  await other.remove();
};
