import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type RunningServer } from "@mgmt/mock/server";
import { pasting } from "./commands/auth/account.js";
import { runInProcess, type Setup } from "./in-process.js";
import type { Result } from "./result.js";

/** The folder of a user with three profiles, a manifest, a git repository, and a service that has what the manifest says. */
export interface Workplace {
  readonly server: RunningServer;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** An id of each kind, by its prefix: `proj_`. */
  readonly ids: Readonly<Record<string, string>>;
  /** Token of an agent that is waiting for the approval in `ids`. */
  readonly agentToken: string;
  /** Runs a command line in the folder. Logins are completed. */
  run(line: readonly string[], setup?: Setup): Promise<Result>;
  /** Undoes what was done in the folder, and at the service, since this workplace was opened. */
  reset(): Promise<void>;
  close(): Promise<void>;
}

const manifest = `version: 1
projects:
  shop:
    name: shop
    branches:
      main:
        databases:
          catalog: { isDefault: true }
          reports: { name: reports }
        services:
          web: {}
`;

const controlSecret = "control-secret-of-the-test";

/** A program that succeeds. The client programs of Postgres say their version, and that of a server without tables. */
const programText = (name: string): string => `#!/bin/sh
if [ "$1" = --version ]; then echo "${name} (PostgreSQL) 18.4"; exit; fi
case "${name} $*" in psql*"show server_version"*) echo 18.4;; esac
`;

const changedManifest = manifest.replace("web: {}", "worker: {}").replace("name: shop", "name: Shop");

export const openWorkplace = async (): Promise<Workplace> => {
  const settings = { lifecycle: { provisioning: 1, recovering: 1 } };
  const engineOptions = { deterministic: "workplace", frozen: false, settings };
  const server = await createServer({ controlSecret, engineOptions });
  const { engine, baseUrl } = server;
  const folder = mkdtempSync(join(tmpdir(), "mgmt-workplace-"));
  const configFolder = join(folder, "config");
  const token = await engine.tokens.user();
  const env = {
    PATH: `${join(folder, "programs")}:${process.env["PATH"] ?? ""}`,
    MGMT_CONFIG_DIR: configFolder,
    GITHUB_ENV: join(folder, "github-env"),
    OLD_DATABASE_URL: "postgresql://user:password@127.0.0.1:1/old",
    // A login prints its address instead of opening a browser.
    SSH_CONNECTION: "over ssh",
  };
  const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
  const pasteAfterConsent = pasting(async (url) => (await engine.oauth.consent({ url })).redirect);
  const run = (line: readonly string[], setup: Setup = {}): Promise<Result> =>
    runInProcess(line, {
      cwd: folder,
      ...(line.includes("login") && setup.stdin === undefined && { reply: pasteAfterConsent }),
      ...setup,
      env: { ...env, ...setup.env },
    });

  mkdirSync(configFolder);
  mkdirSync(join(folder, "programs"));
  for (const name of ["psql", "pg_dump", "pg_restore", "npm"]) {
    write(`programs/${name}`, programText(name));
    chmodSync(join(folder, "programs", name), 0o755);
  }
  write("reports.dump", "PGDMP");
  write("seed.sql", "select 1;\n");
  write("mgmt.yaml", manifest);
  write("shop.yaml", manifest);
  write("body.json", '{ "name": "catalogue" }');
  write("token.txt", await engine.tokens.service());
  write("changed.yaml", changedManifest);
  write("migrate.js", "");
  write("control-secret", controlSecret);
  chmodSync(join(folder, "control-secret"), 0o600);
  const { workspace } = engine.defaults;
  const profile = {
    baseUrl,
    authUrl: baseUrl,
    token,
    workspaceId: workspace.id,
    controlUrl: `${baseUrl}/_control`,
    controlSecretFile: join(folder, "control-secret"),
  };
  const profiles = { default: profile, staging: profile, production: profile, local: profile };
  const config = join("config", "config.json");
  write(config, JSON.stringify({ active: "default", profiles }));
  await succeed(run(["apply", "--yes"]));
  await succeed(run(["plan", "--out", "plan.json"]));
  const [project] = await list(run, "projects");
  const [database] = await list(run, "databases");
  const [app] = await list(run, "services");
  const withProject = { ...profile, projectId: project };
  write(config, JSON.stringify({ active: "default", profiles: { ...profiles, default: withProject } }));
  const agentToken = await engine.tokens.agent();
  const spare = await engine.seed.project({ name: "spare" });
  await run(["projects", "delete", spare.id, "--yes"], {
    env: { MGMT_BASE_URL: baseUrl, MGMT_TOKEN: agentToken },
  });
  const [approval] = engine.approvals.list();
  const snapshot = engine.snapshot();
  const copy = mkdtempSync(join(tmpdir(), "mgmt-workplace-copy-"));
  cpSync(folder, copy, { recursive: true });
  return {
    server,
    folder,
    env,
    agentToken,
    ids: { proj_: project, db_: database, cps_: app, apr_: approval?.id ?? "" },
    run,
    async reset() {
      // Removes faults, which are in no snapshot.
      await engine.reset();
      await engine.load(snapshot);
      rmSync(folder, { recursive: true });
      cpSync(copy, folder, { recursive: true });
    },
    async close() {
      await server.close(0);
      for (const path of [folder, copy]) rmSync(path, { recursive: true, force: true });
    },
  };
};

const succeed = async (running: Promise<Result>): Promise<Result> => {
  const result = await running;
  if (result.status !== 0) throw new Error(result.stderr);
  return result;
};

const list = async (run: Workplace["run"], group: string): Promise<[string]> => {
  const { json } = await succeed(run([group, "list", "--output", "json"]));
  // Every resource has an id, and the manifest has one of each.
  return (json as { id: string }[]).map(({ id }) => id) as [string];
};
