import type { Backing, MemoryStore } from "@mgmt/engine";
import type { Pool } from "pg";
import { MirroredBacking } from "../../../engine/test/store/mirrored-backing.js";
import { migrate } from "../../src/store/migrate.js";
import { PostgresBacking } from "../../src/store/postgres-backing.js";
import { writeState } from "../../src/store/state.js";

let schemas = 0;

/** Opens a schema of its own for requests and jobs, with the rows of a store in memory. */
export const openOnPostgres =
  (pool: () => Pool) =>
  (memory: MemoryStore): Backing => {
    schemas += 1;
    return new MirroredBacking(
      memory,
      openSchema(pool(), `engine_${String(process.pid)}_${String(schemas)}`),
    );
  };

const openSchema = async (pool: Pool, schema: string) => {
  const client = await pool.connect();
  await migrate(client, schema).finally(() => client.release());
  const backing = new PostgresBacking(pool, schema);
  return {
    begin: backing.begin.bind(backing),
    fill: async (state: MemoryStore["state"]) => {
      const filling = await pool.connect();
      await filling.query("begin");
      await writeState(filling, schema, state);
      await filling.query("commit");
      filling.release();
    },
  };
};
