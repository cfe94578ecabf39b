import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { buildIfStale, isBuildStale } from "./build-if-stale.mjs";

/**
 * `npm start`: starts the platform, creates a project with a database, and connects to the database. On a terminal, the
 * platform keeps running until Ctrl-C, and the password of the database is printed.
 */

const mgmt = fileURLToPath(new URL("../packages/cli/dist/mgmt.js", import.meta.url));
const keepsRunning = process.stdout.isTTY;

/** @param {string} line */
const say = (line) => console.log(line);

/**
 * Runs `mgmt` and returns its parsed output.
 * @param {string} line @param {Record<string, string>} environment
 */
const run = async (line, environment) => {
  say(`\n$ mgmt ${line}`);
  // In CI, the result has secrets only with this flag.
  const child = spawn(process.execPath, [mgmt, ...line.split(" "), "--show-secrets"], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  const [status] = await once(child, "close");
  if (status !== 0) throw new Error(`mgmt ${line} exited with status ${String(status)}`);
  return JSON.parse(output);
};

/** Starts `mgmt dev` and waits for its line of output. */
const startPlatform = async () => {
  const line = "dev --ephemeral --port 0 --output json";
  say(`$ mgmt ${line}`);
  const child = spawn(process.execPath, [mgmt, ...line.split(" ")], { stdio: ["ignore", "pipe", "inherit"] });
  const dismissGuard = stopWithParent(child.pid);
  const ended = once(child, "exit").then(([status]) => dismissGuard().then(() => Number(status ?? 1)));
  const ready = new Promise((resolve) => child.stdout.setEncoding("utf8").once("data", resolve));
  const answer = await Promise.race([ready, ended]);
  if (typeof answer === "number") process.exit(answer);
  const stop = () => child.kill("SIGTERM");
  return { .../** @type {{ baseUrl: string, token: string }} */ (JSON.parse(answer)), stop, ended };
};

/**
 * Stops the platform if this script is killed: a shell waits for the end of a pipe that only this process has open.
 * @param {number | undefined} pid @returns {() => Promise<void>} call it after the platform has exited
 */
const stopWithParent = (pid) => {
  const guard = spawn("/bin/sh", ["-c", 'read -r over || kill "$0"', String(pid)], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = once(guard, "exit");
  return async () => {
    guard.stdin.end("over\n");
    await ended;
  };
};

/** @param {string} connectionString */
const useDatabase = async (connectionString) => {
  const { Client } = await import("pg");
  const client = new Client({ connectionString });
  await client.connect();
  try {
    for (const statement of [
      "CREATE TABLE greetings (id int GENERATED ALWAYS AS IDENTITY, text text NOT NULL)",
      "INSERT INTO greetings (text) VALUES ('Hello from a real Postgres')",
      "SELECT id, text FROM greetings",
    ]) {
      say(`  ${statement}`);
      const { rows } = await client.query(statement);
      for (const row of rows) say(`    → ${JSON.stringify(row)}`);
    }
  } finally {
    await client.end();
  }
};

/** @param {{ baseUrl: string, token: string }} platform @param {string} connectionString */
const explain = ({ baseUrl, token }, connectionString) => {
  say(`
The platform runs until Ctrl-C, and its data is then deleted. \`npx @mgmt/cli dev\` runs a platform that keeps its data.
In another terminal, in this directory:

  export MGMT_BASE_URL=${baseUrl}
  export MGMT_TOKEN=${token}
  npx @mgmt/cli projects list
  npx @mgmt/cli projects create another --wait
  psql "${connectionString}"`);
};

if (isBuildStale()) {
  say("Building the packages …\n");
  buildIfStale();
}

const started = performance.now();
const platform = await startPlatform();
// Ctrl-C reaches the platform, too. This script exits after it.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", platform.stop);
try {
  say(`The platform is running at ${platform.baseUrl}`);
  const environment = { MGMT_BASE_URL: platform.baseUrl, MGMT_TOKEN: platform.token };
  const project = await run("projects create shop --region eu-central-1 --wait --output json", environment);
  const { connectionString } = project.database;
  const visibleString = keepsRunning ? connectionString : connectionString.replace(/:[^:/@]+@/, ":…@");
  say(`The database of project ${project.id} is ${project.database.status}:\n  ${visibleString}`);

  say("\nConnecting with the pg client:");
  await useDatabase(connectionString);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(`\nCreated a project, its database and a row in ${seconds} s.`);
  if (keepsRunning) explain(platform, connectionString);
  else platform.stop();
} catch (error) {
  platform.stop();
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
const status = await platform.ended;
process.exitCode ||= status;
