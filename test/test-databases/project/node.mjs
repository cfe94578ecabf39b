import { createDatabaseTest } from "@mgmt/platform/node-test";
import { addNote, options } from "./note.mjs";

const test = createDatabaseTest(options);

for (let count = 0; count < 5; count += 1)
  test(`adds note ${count}`, { concurrency: true }, ({ database }) => addNote(database));
test("has no body");
test.todo("is to be written");
test.skip("is skipped", () => {
  throw new Error("It has run");
});
