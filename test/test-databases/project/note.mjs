import assert from "node:assert/strict";
import pg from "pg";

/** Adds a row, and fails if the database has those of another test. */
export const addNote = async ({ connectionString }) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query("insert into note values (2)");
  const { rows } = await client.query("select id from note order by id");
  await client.end();
  assert.deepEqual(rows, [{ id: 1 }, { id: 2 }]);
};

export const options = { setup: "node migrate.mjs", files: ["migrate.mjs"] };
