import type { EngineOptions } from "../../src/composition/reference-engine.js";
import { MemoryBacking } from "./memory-backing.js";

/**
 * Returns the options for the store that the environment variable `MGMT_TEST_STORE` selects: `replay` runs every request and
 * job on a partial store. Default: the store in memory.
 */
export const storeOptions = (): Pick<EngineOptions, "openBacking"> =>
  process.env["MGMT_TEST_STORE"] === "replay" ? { openBacking: (store) => new MemoryBacking(store) } : {};
