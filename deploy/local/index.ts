import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { stringify } from "yaml";
import { chooseEphemeralParent } from "../../packages/platform/src/machine/data-dir/directories.js";
import type { ServeSettings } from "../../packages/platform/src/serve/config-schema.js";
import { startPostgres } from "./postgres.js";
import { startProxy } from "./proxy.js";
import { chooseStablePort } from "../../packages/platform/src/machine/ports.js";

/**
 * `npx tsx deploy/local/index.ts [--port 4300]`: the service of deploy/compose on this machine, without containers: Postgres, two servers
 * and a proxy. SIGINT or SIGTERM ends it, and deletes its data. So does a kill of the script.
 */

const mgmt = fileURLToPath(new URL("../../packages/cli/dist/mgmt.js", import.meta.url));

/** A module that ends a server with this script, also when the script is killed. */
const endWithParent = new URL("end-with-parent.mjs", import.meta.url).href;

const { values } = parseArgs({ options: { port: { type: "string", default: "4300" } } });

const stop = new AbortController();
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => stop.abort());

/** What is stopped at the end, the last first. */
const closers: (() => Promise<unknown>)[] = [];

const run = async (): Promise<void> => {
  const directory = await mkdtemp(join(await chooseEphemeralParent(), "mgmt-serve-"));
  closers.push(() => rm(directory, { recursive: true, force: true }));
  // The account of Postgres enters it.
  await chmod(directory, 0o711);
  const postgres = await startPostgres(directory);
  closers.push(() => postgres.stop());
  const port = Number(values.port) || (await chooseStablePort("127.0.0.1"));
  const config = join(directory, "serve.yaml");
  const settings: ServeSettings = {
    databaseUrl: postgres.databaseUrl,
    keyFile: "keys",
    baseUrl: `http://127.0.0.1:${String(port)}`,
    trustProxy: true,
    drainSeconds: 5,
  };
  await writeFile(config, stringify(settings), { mode: 0o600 });
  const tokenFile = join(directory, "token");
  await writeFile(tokenFile, await initialize(config, directory), { mode: 0o600 });
  const servers = [await startServer(config), await startServer(config)];
  const proxy = await startProxy(
    port,
    servers.map((server) => server.port),
  );
  closers.push(() => {
    proxy.closeAllConnections();
    return once(proxy.close(), "close");
  });
  const { port: proxyPort } = proxy.address() as AddressInfo;
  print({
    baseUrl: `http://127.0.0.1:${String(proxyPort)}`,
    ...{ config, tokenFile, postgres: postgres.version },
    servers: servers.map((server) => ({ address: server.address, pid: server.pid })),
  });
};

interface LocalService {
  readonly baseUrl: string;
  readonly config: string;
  readonly tokenFile: string;
  readonly postgres: string;
  readonly servers: readonly { readonly address: string; readonly pid: number | undefined }[];
}

/** Prints a line of JSON for programs, and what to try for people. */
const print = (service: LocalService): void => {
  const { baseUrl, config, tokenFile, postgres, servers } = service;
  const text = process.stdout.isTTY
    ? `The API is at ${baseUrl}, with Postgres ${postgres} and the servers ${servers.map(({ address }) => address).join(" and ")}.\n\n` +
      `  npx @mgmt/cli projects list --base-url ${baseUrl} --token-file ${tokenFile}\n` +
      `  npx @mgmt/cli serve status --config ${config}\n\nCtrl-C ends it, and deletes its data.`
    : JSON.stringify(service);
  console.log(text);
};

/** Creates the records and the key. Returns a token. */
const initialize = async (config: string, directory: string): Promise<string> => {
  const secretFile = join(directory, "init.json");
  const flags = ["--workspace", "Acme", "--owner", "ada@example.com", "--secret-file", secretFile];
  await promisify(execFile)(process.execPath, [mgmt, "serve", "init", "--config", config, ...flags]);
  const { value }: { value: string } = JSON.parse(await readFile(secretFile, "utf8"));
  return value;
};

const startServer = async (
  config: string,
): Promise<{ address: string; port: number; pid: number | undefined }> => {
  const line = ["--import", endWithParent, mgmt, "serve", "--config", config, "--listen", "127.0.0.1:0"];
  // Nothing is written to its standard input.
  const server = spawn(process.execPath, line, { stdio: ["pipe", "pipe", "inherit"] });
  closers.push(() => end(server));
  const lines = createInterface({ input: server.stdout });
  const ended = once(server, "exit").then(() => {
    throw new Error("A server has ended before it was ready");
  });
  const ready = new Promise<string>((resolve) => {
    lines.on("line", (text) => {
      const entry: { msg: string; address?: string } = JSON.parse(text);
      if (entry.msg === "ready" && entry.address !== undefined) resolve(entry.address);
    });
  });
  ended.catch(() => undefined);
  const address = await Promise.race([ready, ended]);
  return { address, port: Number(new URL(address).port), pid: server.pid };
};

const end = async (server: ChildProcess): Promise<void> => {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.kill("SIGTERM");
  await once(server, "exit");
};

try {
  await run();
  if (!stop.signal.aborted) await once(stop.signal, "abort");
} finally {
  for (const close of closers.reverse()) await close();
}
