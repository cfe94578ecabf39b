import { createTestDatabases } from "@mgmt/platform/test-databases";
import pg from "pg";
import { options } from "./note.mjs";

// Creates another database beside its own, says which one it has, and waits to be killed.
const { connectionString, database } = await createTestDatabases(options).take();
const client = new pg.Client({ connectionString });
await client.connect();
await client.query("create database copied_by_a_test");
console.log(database);
setInterval(() => undefined, 1_000);
