import { appendFileSync } from "node:fs";
import pg from "pg";

// The setup: tests see whether it has run once.
appendFileSync(process.env.RUNS_FILE, "run\n");
const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
await client.query("create table note (id int); insert into note values (1)");
await client.end();
