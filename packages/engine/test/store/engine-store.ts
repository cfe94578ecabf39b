import { Pool } from "pg";
import { openOnPostgres } from "../../../platform/test/store/engine-on-postgres.js";
import type { EngineOptions } from "../../src/composition/reference-engine.js";
import { MemoryBacking } from "./memory-backing.js";

let pool: Pool | undefined;

const openPool = (connectionString: string): Pool => {
  pool ??= new Pool({ connectionString, max: 10, allowExitOnIdle: true });
  return pool;
};

/**
 * Returns the options for the store that the environment variable `MGMT_TEST_STORE` selects: `replay` runs every request and
 * job on a partial store in memory, and the address of a database on one in Postgres. Default: the store in memory.
 */
export const storeOptions = (): Pick<EngineOptions, "openBacking"> => {
  const choice = process.env["MGMT_TEST_STORE"];
  if (choice === undefined) return {};
  return {
    openBacking:
      choice === "replay" ? (store) => new MemoryBacking(store) : openOnPostgres(() => openPool(choice)),
  };
};
