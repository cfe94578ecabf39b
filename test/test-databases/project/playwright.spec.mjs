import { createDatabaseTest } from "@mgmt/platform/playwright";
import { addNote, options } from "./note.mjs";

const test = createDatabaseTest(options);
test.describe.configure({ mode: "parallel", retries: 1 });

for (let count = 0; count < 5; count += 1) test(`adds note ${count}`, ({ database }) => addNote(database));
test("passes in the second try", async ({ database }, { retry }) => {
  await addNote(database);
  if (retry === 0) throw new Error("The first try fails");
});
