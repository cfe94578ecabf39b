import { openDataDir } from "../src/data-dir/data-dir.js";
import { openPostgres } from "../src/open-postgres.js";
import { importOldState, readOldSnapshots } from "../src/records/import-old-state.js";
import { openRecords } from "../src/store/open-records.js";

/** Imports the state files of a data directory, and kills itself when it has reached a step. The arguments are both. */
const [path = "", last = ""] = process.argv.slice(2);
const dataDir = await openDataDir(path);
if (dataDir.stored?.oldState === undefined) throw new Error("There is nothing to import");
const postgres = await openPostgres(dataDir, {});
const { port, password } = postgres.address;
const records = await openRecords({
  host: "127.0.0.1",
  port,
  user: "postgres",
  password,
  database: "postgres",
});
await importOldState({
  dataDir,
  manifest: postgres.manifest,
  records,
  old: readOldSnapshots(path, dataDir.stored.oldState),
  reached: (step) => {
    if (step === last) process.kill(process.pid, "SIGKILL");
  },
});
