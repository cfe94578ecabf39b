import type { Backing, MemoryStore } from "@mgmt/engine";
import type { Pool } from "pg";
import { MirroredBacking } from "../../../engine/test/store/mirrored-backing.js";
import { migrate } from "../../src/store/migrate.js";
import { PostgresBacking } from "../../src/store/postgres-backing.js";
import { writeState } from "../../src/store/state.js";

let schemas = 0;

/**
 * Returns a function that opens a schema for the requests and jobs of one engine, with the rows of a store in memory. An engine
 * that replaces its state gets the same schema with other rows.
 */
export const openOnPostgres = (pool: () => Pool): ((memory: MemoryStore) => Backing) => {
  let schema: ReturnType<typeof openSchema> | undefined;
  return (memory) => {
    if (schema === undefined) schemas += 1;
    schema ??= openSchema(pool(), `engine_${String(process.pid)}_${String(schemas)}`);
    return new MirroredBacking(memory, schema);
  };
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
