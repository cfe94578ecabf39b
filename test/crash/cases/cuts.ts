import { once } from "node:events";
import { mkdtemp, writeFile } from "node:fs/promises";
import { type AddressInfo, type Socket, connect, createServer as createTcpServer } from "node:net";
import { join } from "node:path";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { ConnectionError, type MgmtClient, createClient } from "@mgmt/sdk";
import { runInProcess } from "../../../packages/cli/test/in-process.js";
import { immediatePauses } from "../../../packages/sdk/test/immediate-pauses.js";
import { Violation, within } from "../violation.js";

/** A fault on a service of its own. Throws a Violation when a promise is broken. */
export type CrashCase = (directory: string, log: (line: string) => void) => Promise<void>;

/** A service with a database, and how to call it through the network that is cut. */
interface Scene {
  rows: RunningServer["engine"]["rows"];
  databaseId: string;
  connectionId: string;
  sdk: MgmtClient;
  /** Runs a command, which must succeed, or exit with 8 if its outcome is unknown. Returns what it printed; undefined for an unknown outcome. */
  cli(...words: string[]): Promise<string | undefined>;
}

/** Waits for a call. Returns undefined when its outcome is unknown. */
const outcomeOf = <T>(call: PromiseLike<T>): PromiseLike<T | undefined> =>
  call.then(undefined, (error: unknown) => {
    if (error instanceof ConnectionError) return undefined;
    throw error;
  });

const expectShops = ({ rows }: Scene, isDone: boolean): string | undefined => {
  const count = [...rows.projects.list({})].filter(({ name }) => name === "shop").length;
  return count > 1 || (isDone && count === 0) ? `there are ${String(count)} projects` : undefined;
};
const expectPassword = ({ rows, connectionId }: Scene, text: string | undefined): string | undefined => {
  const password = encodeURIComponent(rows.connections.get(connectionId)?.pass ?? "none");
  return text === undefined || text.includes(password) ? undefined : "the service has another password";
};
const expectNoDatabase = ({ rows, databaseId }: Scene): string | undefined =>
  rows.databases.get(databaseId) && "the database exists";

const manifest = `version: 1
projects: { shop: { name: shop, region: eu-central-1, branches: { main: { databases: { catalog: { name: Catalog, isDefault: true } } } } } }
`;

/** Changes that are made while the network is cut. Each returns what is wrong afterwards; undefined for nothing. */
const changes: Readonly<Record<string, (scene: Scene) => Promise<string | undefined>>> = {
  "SDK create": async (scene) =>
    expectShops(scene, (await outcomeOf(scene.sdk.projects.create({ name: "shop" }))) !== undefined),
  "SDK ensure": async (scene) => {
    await scene.sdk.projects.ensure({ logicalId: "shop", name: "shop" });
    return expectShops(scene, true);
  },
  "SDK rotate": async (scene) => {
    const connection = await outcomeOf(scene.sdk.connections.rotate(scene.connectionId));
    return expectPassword(scene, connection?.connectionString);
  },
  "SDK delete": async (scene) => {
    await scene.sdk.databases.delete(scene.databaseId);
    return expectNoDatabase(scene);
  },
  "CLI create": async (scene) =>
    expectShops(scene, (await scene.cli("projects", "create", "shop")) !== undefined),
  "CLI rotate": async (scene) =>
    expectPassword(scene, await scene.cli("connections", "rotate", scene.connectionId, "--yes")),
  "CLI delete": async (scene) => {
    const text = await scene.cli("databases", "delete", scene.databaseId, "--yes");
    return text === undefined ? "its outcome is unknown" : expectNoDatabase(scene);
  },
  "CLI apply": async (scene) => {
    await scene.cli("apply", "--yes");
    // Does what the first one, whose connection was cut, has left.
    const again = await scene.cli("apply", "--yes");
    const databases = [...scene.rows.databases.list({})].filter(({ name }) => name === "Catalog").length;
    if (again === undefined || databases !== 1) return `there are ${String(databases)} databases`;
    return expectShops(scene, true);
  },
};

type Direction = "request" | "response";

/** The connection that carries a byte of a direction, counted from the first one, is cut there. */
interface Cut {
  direction: Direction;
  bytes: number;
}

/** Forwards connections to a port, and cuts one of them. */
const startProxy = async (portOf: () => number, cut?: Cut) => {
  const counts: Record<Direction, number> = { request: 0, response: 0 };
  const sockets = new Set<Socket>();
  const state = { hasCut: cut === undefined };
  const server = createTcpServer((client) => {
    const service = connect(portOf(), "127.0.0.1");
    const end = (): void => [client, service].forEach((socket) => socket.destroy());
    const pass = (from: Socket, to: Socket, direction: Direction): void => {
      sockets.add(from.setNoDelay(true).on("error", end).on("close", end));
      from.on("data", (chunk: Buffer) => {
        const before = counts[direction];
        counts[direction] += chunk.length;
        if (state.hasCut || cut?.direction !== direction || counts[direction] < cut.bytes)
          return void to.write(chunk);
        state.hasCut = true;
        for (const socket of [client, service]) socket.removeAllListeners("data");
        to.end(chunk.subarray(0, cut.bytes - before), end);
      });
    };
    pass(client, service, "request");
    pass(service, client, "response");
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  const close = (): void => {
    server.close();
    for (const socket of sockets) socket.destroy();
  };
  // It listens on a port.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${String(port)}`, counts, state, close };
};

/** The longest time that a change may take, in milliseconds. Only a defect exceeds it. */
const deadline = 120_000;

/** Makes a change on a service of its own. Returns how many bytes passed in each direction. */
const makeChange = async (name: string, directory: string, cut?: Cut): Promise<Record<Direction, number>> => {
  const what = `${name}, ${cut ? `cut after byte ${String(cut.bytes)} of the ${cut.direction}` : "without a cut"}`;
  let port = 0;
  const proxy = await startProxy(() => port, cut);
  const server = await createServer({ allowedHosts: [new URL(proxy.url).host] });
  port = Number(new URL(server.baseUrl).port);
  try {
    const { seed, rows, tokens } = server.engine;
    const { id: databaseId } = await seed.database((await seed.project({ name: "other" })).id);
    const { id: connectionId } = await seed.connection(databaseId);
    const token = await tokens.service();
    const cwd = await mkdtemp(join(directory, "c-"));
    await writeFile(join(cwd, "mgmt.yaml"), manifest);
    const sdk = createClient({ baseUrl: proxy.url, token, timers: immediatePauses, timeoutMs: 60_000 });
    const cli = async (...words: string[]): Promise<string | undefined> => {
      const env = { MGMT_BASE_URL: proxy.url, MGMT_TOKEN: token };
      const { status, stdout, stderr } = await runInProcess([...words, "--output", "json"], { env, cwd });
      if (status === 0 || status === 8) return status === 0 ? stdout : undefined;
      throw new Error(`It exited with ${String(status)}: ${stderr}`);
    };
    const change = changes[name]?.({ rows, databaseId, connectionId, sdk, cli });
    const wrong = await within(deadline, change ?? Promise.resolve(""), "it does not end").catch(String);
    if (wrong !== undefined) throw new Violation(`${what}: ${wrong}`);
    if (!proxy.state.hasCut) throw new Violation(`${what}: nothing was cut`);
    return proxy.counts;
  } finally {
    proxy.close();
    await server.close();
  }
};

/** Changes that are made at the same time. Most of their time is pauses between attempts. */
const workers = 24;

/** Cuts the network at every byte of requests and responses. */
export const cuts: CrashCase = async (directory, log) => {
  for (const name of Object.keys(changes)) {
    const counts = await makeChange(name, directory);
    const all = (["request", "response"] as const).flatMap((direction) =>
      Array.from({ length: counts[direction] + 1 }, (_, bytes): Cut => ({ direction, bytes })),
    );
    const count = all.length;
    const work = async (): Promise<void> => {
      for (let cut = all.shift(); cut; cut = all.shift()) await makeChange(name, directory, cut);
    };
    await Promise.all(Array.from({ length: workers }, work));
    log(`${name}: ${String(count)} cuts`);
  }
};
