import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import pg from "pg";

const run = promisify(execFile);

/**
 * Starts the service in a folder that has the command line and the platform, creates a project, and writes a row into its database.
 * Returns when the row has been read back.
 *
 * @param home Folder for the profiles, data, and caches of a user who has none.
 */
export const writeFirstRow = async (folder: string, home: string): Promise<void> => {
  const mgmt = join(folder, "node_modules/.bin/mgmt");
  const env = { PATH: process.env["PATH"], HOME: home };
  const service = spawn(mgmt, ["dev", "--port", "0", "--output", "json"], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await firstLineOf(service);
    await run(mgmt, ["projects", "create", "shop", "--wait"], { env });
    const { stdout: url } = await run(mgmt, ["run", "--", "node", "-p", "process.env.DATABASE_URL"], {
      env: { ...env, MGMT_PROJECT_ID: "shop" },
    });
    await writeRow(url.trim());
  } finally {
    const ended = once(service, "exit");
    service.kill("SIGTERM");
    await ended;
  }
};

const firstLineOf = async ({ stdout }: ChildProcess): Promise<void> => {
  if (!stdout) throw new Error("mgmt dev has no output");
  for await (const line of createInterface({ input: stdout })) if (line !== "") return;
  throw new Error("mgmt dev ended");
};

const writeRow = async (connectionString: string): Promise<void> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query("create table notes (body text)");
    const { rowCount } = await client.query("insert into notes values ('Hello') returning body");
    if (rowCount !== 1) throw new Error("The row was not written");
  } finally {
    await client.end();
  }
};
