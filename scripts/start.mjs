import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { buildIfStale, isBuildStale } from "./build-if-stale.mjs";

/**
 * `npm start`: brings the platform up, makes a project with its database, and uses that database as any program would. On
 * a terminal the platform then stays up until Ctrl-C.
 */

const mgmt = fileURLToPath(new URL("../packages/cli/dist/mgmt.js", import.meta.url));
const stays = process.stdout.isTTY;

/** @param {string} line */
const say = (line) => console.log(line);

/**
 * Runs `mgmt` to its end, and gives what it prints.
 * @param {string} line @param {Record<string, string>} environment
 */
const run = async (line, environment) => {
  say(`\n$ mgmt ${line}`);
  const child = spawn(process.execPath, [mgmt, ...line.split(" ")], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (text) => (output += text));
  const [status] = await once(child, "close");
  if (status !== 0) throw new Error(`mgmt ${line} ended with status ${String(status)}`);
  return JSON.parse(output);
};

/** Starts `mgmt dev` and waits for its one line. */
const startPlatform = async () => {
  const line = "dev --ephemeral --port 0 --output json";
  say(`$ mgmt ${line}`);
  const child = spawn(process.execPath, [mgmt, ...line.split(" ")], { stdio: ["ignore", "pipe", "inherit"] });
  const dismissGuard = endWithUs(child.pid);
  const ended = once(child, "exit").then(([status]) => dismissGuard().then(() => Number(status ?? 1)));
  const ready = new Promise((resolve) => child.stdout.setEncoding("utf8").once("data", resolve));
  const answer = await Promise.race([ready, ended]);
  if (typeof answer === "number") process.exit(answer);
  const stop = () => child.kill("SIGTERM");
  return { .../** @type {{ baseUrl: string, token: string }} */ (JSON.parse(answer)), stop, ended };
};

/**
 * Should this script be killed, the platform ends, too: a shell reads from a pipe that only we hold open.
 * @param {number | undefined} pid @returns {() => Promise<void>} what to call when the platform has ended by itself
 */
const endWithUs = (pid) => {
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
The platform stays up until Ctrl-C, and then forgets everything; \`npx mgmt dev\` runs one that remembers.
In another terminal, in this directory:

  export MGMT_BASE_URL=${baseUrl}
  export MGMT_TOKEN=${token}
  npx mgmt projects list
  npx mgmt projects create another --wait
  psql "${connectionString}"`);
};

if (isBuildStale()) {
  say("Building what is not built …\n");
  buildIfStale();
}

const started = performance.now();
const platform = await startPlatform();
// Ctrl-C reaches the platform as well as us; we end when it has.
process.on("SIGINT", () => undefined);
process.on("SIGTERM", platform.stop);
try {
  say(`The platform is up at ${platform.baseUrl}`);
  const environment = { MGMT_BASE_URL: platform.baseUrl, MGMT_TOKEN: platform.token };
  const project = await run("projects create shop --region eu-central-1 --wait --output json", environment);
  const { connectionString } = project.database;
  say(`The project ${project.id} has a database that is ${project.database.status}:\n  ${connectionString}`);

  say("\nConnecting to it with the pg client:");
  await useDatabase(connectionString);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  say(`\nA project, its database and a row in it: ${seconds} s.`);
  if (stays) explain(platform, connectionString);
  else platform.stop();
} catch (error) {
  platform.stop();
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
const status = await platform.ended;
process.exitCode ||= status;
