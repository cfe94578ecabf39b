import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningServer } from "@mgmt/mock/server";
import { ApiError, ConnectionError, type MgmtClient, createClient } from "@mgmt/sdk";
import { runInProcess } from "../../../packages/cli/test/in-process.js";
import { immediatePauses } from "../../../packages/sdk/test/immediate-pauses.js";

/** A service of its own, and the address under which its connections are cut. */
export interface CutService {
  readonly server: RunningServer;
  readonly url: string;
  readonly token: string;
}

/** A change that is made while the network is cut. Returns what is wrong afterwards; undefined for nothing. */
export interface CutScenario {
  readonly name: string;
  /** Makes what the change needs. */
  prepare(server: RunningServer): Promise<string>;
  run(service: CutService, prepared: string): Promise<string | undefined>;
}

const noPreparation = (): Promise<string> => Promise.resolve("");

const databaseOf = async ({ engine }: RunningServer): Promise<string> => {
  const { id } = await engine.seed.project({ name: "shop" });
  return (await engine.seed.database(id)).id;
};

const connectionOf = async (server: RunningServer): Promise<string> =>
  (await server.engine.seed.connection(await databaseOf(server))).id;

const sdk = ({ url, token }: CutService): MgmtClient =>
  createClient({ baseUrl: url, token, timers: immediatePauses, timeoutMs: 60_000 });

const projectsOf = ({ server }: CutService): number => [...server.engine.rows.projects.list({})].length;

/** Runs a call of the SDK. Returns undefined when its outcome is unknown. */
const attempt = async <T>(work: () => Promise<T>): Promise<{ value: T } | undefined> => {
  try {
    return { value: await work() };
  } catch (error) {
    if (error instanceof ConnectionError && !(error instanceof ApiError)) return undefined;
    throw error;
  }
};

/** Runs a command. */
const cli = async (service: CutService, line: readonly string[], cwd?: string) =>
  runInProcess([...line, "--output", "json"], {
    env: { MGMT_BASE_URL: service.url, MGMT_TOKEN: service.token },
    ...(cwd !== undefined && { cwd }),
  });

/** Exit codes of a change that was made, and of one whose outcome is unknown. */
const isDoneOrUnknown = ({ status, stderr }: { status: number | null; stderr: string }): string | undefined =>
  status === 0 || status === 8 ? undefined : `it exited with ${String(status)}: ${stderr}`;

const countOf = (service: CutService, isDone: boolean): string | undefined => {
  const count = projectsOf(service);
  return count > 1 || (isDone && count !== 1) ? `there are ${String(count)} projects` : undefined;
};

const manifest = `version: 1
projects:
  shop:
    name: Shop
    region: eu-central-1
    branches:
      main:
        databases:
          catalog: { name: Catalog, isDefault: true }
`;

export const scenarios: readonly CutScenario[] = [
  {
    name: "SDK create",
    prepare: noPreparation,
    run: async (service) => {
      const done = await attempt(() => sdk(service).projects.create({ name: "shop" }));
      return countOf(service, done !== undefined);
    },
  },
  {
    name: "SDK ensure",
    prepare: noPreparation,
    run: async (service) => {
      await sdk(service).projects.ensure({ logicalId: "shop", name: "shop" });
      return countOf(service, true);
    },
  },
  {
    name: "SDK rotate",
    prepare: connectionOf,
    run: async (service, id) => {
      const done = await attempt(() => sdk(service).connections.rotate(id));
      const stored = service.server.engine.rows.connections.get(id)?.pass;
      return done !== undefined && !done.value.connectionString.includes(encodeURIComponent(stored ?? "none"))
        ? "it returned another password than the service has"
        : undefined;
    },
  },
  {
    name: "SDK delete",
    prepare: databaseOf,
    run: async (service, id) => {
      await sdk(service).databases.delete(id);
      return service.server.engine.rows.databases.get(id) && "the database exists";
    },
  },
  {
    name: "CLI create",
    prepare: noPreparation,
    run: async (service) => {
      const result = await cli(service, ["projects", "create", "shop"]);
      return isDoneOrUnknown(result) ?? countOf(service, result.status === 0);
    },
  },
  {
    name: "CLI rotate",
    prepare: connectionOf,
    run: async (service, id) => {
      const result = await cli(service, ["connections", "rotate", id, "--yes"]);
      const stored = service.server.engine.rows.connections.get(id)?.pass ?? "none";
      return (
        isDoneOrUnknown(result) ??
        (result.status === 0 && !result.stdout.includes(encodeURIComponent(stored))
          ? "it printed another password than the service has"
          : undefined)
      );
    },
  },
  {
    name: "CLI delete",
    prepare: databaseOf,
    run: async (service, id) => {
      const { status, stderr } = await cli(service, ["databases", "delete", id, "--yes"]);
      if (status !== 0) return `it exited with ${String(status)}: ${stderr}`;
      return service.server.engine.rows.databases.get(id) && "the database exists";
    },
  },
  {
    name: "CLI apply",
    prepare: noPreparation,
    run: async (service) => {
      const folder = await mkdtemp(join(tmpdir(), "mgmt-cut-"));
      try {
        await writeFile(join(folder, "mgmt.yaml"), manifest);
        const first = await cli(service, ["apply", "--yes"], folder);
        const again = await cli(service, ["apply", "--yes"], folder);
        const databases = [...service.server.engine.rows.databases.list({})].length;
        if (again.status !== 0)
          return `the second apply exited with ${String(again.status)}: ${again.stderr}`;
        return (
          isDoneOrUnknown(first) ??
          countOf(service, true) ??
          (databases === 1 ? undefined : `there are ${String(databases)} databases`)
        );
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
  },
];
