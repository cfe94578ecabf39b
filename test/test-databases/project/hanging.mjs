import { createTestDatabases } from "@mgmt/platform/test-databases";
import { options } from "./note.mjs";

// Says which database it has, and waits to be killed.
const database = await createTestDatabases(options).take();
console.log(database.database);
setInterval(() => undefined, 1_000);
