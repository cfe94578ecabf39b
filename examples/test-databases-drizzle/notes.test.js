import { createDatabaseTest } from "@mgmt/platform/vitest";
import { drizzle } from "drizzle-orm/node-postgres";
import { addNote, listNotes } from "./notes.js";

const test = createDatabaseTest({
  setup: "npx drizzle-kit migrate && node seed.js",
  files: ["migrations/**", "seed.js", "schema.js"],
}).extend({
  client: async ({ database }, use) => {
    const client = drizzle(database.connectionString);
    await use(client);
    await client.$client.end();
  },
});

for (let number = 1; number <= 18; number += 1) {
  test.concurrent(`lists only its own ${number} notes`, async ({ client, expect }) => {
    for (let count = 1; count <= number; count += 1) await addNote(client, 1, `note ${count}`);
    expect(await listNotes(client)).toHaveLength(number);
  });
}

test.concurrent("lists the latest note first", async ({ client, expect }) => {
  await addNote(client, 1, "milk");
  await addNote(client, 2, "bread");
  expect(await listNotes(client)).toEqual(["bread", "milk"]);
});

test.concurrent("adds no note of an author that does not exist", async ({ client, expect }) => {
  expect(await addNote(client, 3, "milk")).toBeUndefined();
  expect(await listNotes(client)).toEqual([]);
});
