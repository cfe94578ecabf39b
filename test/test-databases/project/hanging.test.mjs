import { createDatabaseTest } from "@mgmt/platform/vitest";
import { addNote, options } from "./note.mjs";

const test = createDatabaseTest(options);

for (const name of ["first", "second"])
  test.concurrent(`${name} waits to be killed`, { timeout: 0 }, async ({ database }) => {
    await addNote(database);
    await new Promise((resolve) => setInterval(resolve, 2 ** 30));
  });
