import type { LoggedRequest } from "@mgmt/engine";
import { MemoryStore, StoredServer } from "@mgmt/engine/internal";
import { Pool } from "pg";
import type {
  EngineUnderTest,
  EngineUnderTestOptions,
} from "../../packages/engine/test/server/engine-under-test.js";
import type { DatabaseAddress } from "@mgmt/cluster/policy/address";
import { type OpenRecords, openRecords } from "@mgmt/cluster/rows/open-records";
import { createTestKeys } from "../../packages/cluster/test/rows/record-keys.js";

/** A schema for the records of one server, which two processes use. It is used again for another server. */
interface Place {
  readonly schema: string;
  readonly records: readonly [OpenRecords, OpenRecords];
}

interface Opened {
  readonly place: Place;
  readonly engines: readonly StoredServer[];
}

let pool: Pool | undefined;
let schemas = 0;
const free: Place[] = [];
const opened: Opened[] = [];

const addressOf = (text: string): DatabaseAddress => {
  const { hostname: host, port, username: user, password, pathname } = new URL(text);
  return { host, port: Number(port), user, password, database: pathname.slice(1) };
};

const openPlace = async (address: DatabaseAddress): Promise<Place> => {
  const known = free.pop();
  if (known) {
    await empty(address, known.schema);
    return known;
  }
  schemas += 1;
  const schema = `api_${String(process.pid)}_${String(schemas)}`;
  const options = { schema, keys: createTestKeys(), maxConnections: 5 };
  const first = await openRecords(address, options);
  return { schema, records: [first, await openRecords(address, options)] };
};

const empty = async (address: DatabaseAddress, schema: string): Promise<void> => {
  pool ??= new Pool({ ...address, max: 2, allowExitOnIdle: true });
  const { rows } = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname = $1 and tablename not in ('installation', 'migrations')`,
    [schema],
  );
  const sequences = await pool.query<{ name: string }>(
    `select format('%I.%I', schemaname, sequencename) as name from pg_sequences where schemaname = $1`,
    [schema],
  );
  await pool.query(
    [
      ...rows.map(({ name }) => `delete from ${name}`),
      ...sequences.rows.map(({ name }) => `select setval('${name}', 1, false)`),
    ].join(";\n"),
  );
};

/** Opens two engines on the same rows, as two processes have them, and uses them by turns. */
export const openStoredPair = async (options: EngineUnderTestOptions): Promise<EngineUnderTest> => {
  const address = addressOf(process.env["MGMT_TEST_STORE"] ?? "");
  const place = await openPlace(address);
  const [first, second] = place.records;
  const engines = [
    await StoredServer.open({ ...options, records: first }),
    await StoredServer.open({ ...options, records: second }),
  ];
  opened.push({ place, engines });
  for (const engine of engines) engine.start();
  return byTurns(engines);
};

/**
 * Returns an engine whose members are those of each engine by turns. The log of requests belongs to a process, so it has those
 * of all, and a reset clears all.
 */
const byTurns = (engines: readonly StoredServer[]): EngineUnderTest => {
  const requests: LoggedRequest[] = [];
  for (const engine of engines) engine.followRequests((entry) => requests.push(entry));
  const reset = async (): Promise<void> => {
    for (const engine of engines) await engine.reset();
    requests.length = 0;
  };
  let uses = 0;
  const next = (): EngineUnderTest => {
    const engine = engines[uses % engines.length];
    uses += 1;
    if (engine === undefined) throw new Error("There is no engine");
    return Object.assign(engine, {
      readStore: async () => {
        const store = new MemoryStore();
        store.restore((await engine.snapshot()).store);
        return store;
      },
    });
  };
  return new Proxy(next(), {
    get: (_, name) => {
      if (name === "reset") return reset;
      if (name === "requests") return requests;
      const engine = next();
      const member: unknown = Reflect.get(engine, name, engine);
      return typeof member === "function" ? (member.bind(engine) as unknown) : member;
    },
  });
};

/** Returns a function that closes all engines which were opened since. */
export const closeLater = (): (() => Promise<void>) => {
  const before = opened.length;
  return async () => {
    for (const { place, engines } of opened.splice(before)) {
      await Promise.all(engines.map((engine) => engine.stop()));
      free.push(place);
    }
  };
};
