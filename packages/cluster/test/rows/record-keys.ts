import { RecordKeys } from "../../src/rows/record-keys.js";

/** The keys of records in tests. Every process of a test has the same. */
export const createTestKeys = (): RecordKeys => new RecordKeys("not-a-secret-not-a-secret-not-a-secret-not-");
