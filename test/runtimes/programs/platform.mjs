// Tests the installed packages on any Node.js version, from the reference server to a real database, as ES
// modules and as CommonJS.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createClient, isApiError } from "@mgmt/sdk";
import { nodeTransport } from "@mgmt/sdk/node";
import { setupMock } from "@mgmt/mock";
import { createServer } from "@mgmt/mock/server";
import pg from "pg";

const require = createRequire(import.meta.url);

const mock = setupMock();
mock.listen();
const client = createClient({ baseUrl: mock.baseUrl, token: await mock.tokens.user() });
await client.projects.create({ name: "shop" });
assert.equal((await client.projects.list().toArray()).length, 1);
await assert.rejects(
  () => client.projects.get("proj_gone"),
  (error) => isApiError(error, "project:not_found"),
);
await mock.close();

const server = await createServer();
const common = require("@mgmt/sdk");
const token = await server.engine.tokens.user();
for (const transport of [undefined, nodeTransport()]) {
  const loaded = common.createClient({ baseUrl: server.baseUrl, token, transport });
  assert.equal((await loaded.regions.listPostgres().toArray()).length, 6);
}
assert.equal(typeof require("@mgmt/mock").setupMock, "function");
await server.close();

const program = join(dirname(require.resolve("@mgmt/cli/package.json")), "dist/mgmt.js");
const mgmt = (...words) =>
  spawn(process.execPath, [program, ...words, "--output", "json"], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
  });
const environment = {};
const platform = mgmt("dev", "--ephemeral", "--port", "0");
try {
  const [line] = await once(platform.stdout.setEncoding("utf8"), "data");
  const ready = JSON.parse(line);
  Object.assign(environment, { MGMT_BASE_URL: ready.baseUrl, MGMT_TOKEN: ready.token });
  const create = mgmt("projects", "create", "shop", "--wait", "--show-secrets");
  const [[status], answer] = await Promise.all([
    once(create, "exit"),
    create.stdout
      .setEncoding("utf8")
      .toArray()
      .then((parts) => parts.join("")),
  ]);
  assert.equal(status, 0);
  const database = new pg.Client({ connectionString: JSON.parse(answer).database.connectionString });
  await database.connect();
  assert.deepEqual((await database.query("select 1 as one")).rows, [{ one: 1 }]);
  await database.end();
} finally {
  const ended = once(platform, "exit");
  platform.kill("SIGTERM");
  await ended;
}
console.log("all is so");
