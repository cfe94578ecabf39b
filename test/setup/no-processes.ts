import childProcess, { ChildProcess } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

const refuse = (): never => {
  throw new Error(
    "Tests of this level start no process. Name the file *.process.test.ts, or *.postgres.test.ts if it starts Postgres.",
  );
};

// All functions that do not wait for the process call this method.
Object.assign(ChildProcess.prototype, { spawn: refuse });
Object.assign(childProcess, { spawnSync: refuse, execSync: refuse, execFileSync: refuse });
syncBuiltinESMExports();
