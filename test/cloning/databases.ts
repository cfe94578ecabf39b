import { setTimeout as sleep } from "node:timers/promises";
import { Client, DatabaseError } from "pg";
import type { MgmtDev } from "../crash/mgmt-dev.js";
import { describe, textAt } from "../crash/request.js";

/** A database of the API. */
export interface Database {
  readonly id: string;
  readonly project: string;
  readonly url: string;
}

/** Does work in a new session, and ends it. */
export const inSession = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const request = async (dev: MgmtDev, method: string, path: string, body?: object) => {
  const answer = await dev.call(dev.tokens[0], method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${describe(answer)}`);
  return answer.body;
};

export const createProject = async (dev: MgmtDev, name: string): Promise<Database> => {
  const body = await request(dev, "POST", "/v1/projects", { name });
  return {
    project: textAt(body, "data", "id"),
    id: textAt(body, "data", "database", "id"),
    url: textAt(body, "data", "database", "connectionString"),
  };
};

/** Creates a copy of a database, and returns it with the time until its first session has a result, in milliseconds. */
/** Returns whether a database exists. A login waits for a new one, but not for a long copy to end. */
const acceptsLogins = async (url: string): Promise<boolean> => {
  try {
    await inSession(url, (client) => client.query("select 1"));
    return true;
  } catch (error) {
    if (error instanceof DatabaseError && error.code === "57P03") return false;
    throw error;
  }
};

export const createCopy = async (
  dev: MgmtDev,
  { project, id }: Database,
  name: string,
): Promise<Database & { readonly ms: number }> => {
  const startedAt = performance.now();
  const body = await request(dev, "POST", `/v1/projects/${project}/databases`, {
    name,
    source: { type: "database", databaseId: id },
  });
  const url = textAt(body, "data", "connectionString");
  while (!(await acceptsLogins(url))) await sleep(50);
  return { id: textAt(body, "data", "id"), project, url, ms: performance.now() - startedAt };
};

export const deleteDatabase = async (dev: MgmtDev, { id }: Pick<Database, "id">): Promise<void> => {
  await request(dev, "DELETE", `/v1/databases/${id}`);
  for (;;) {
    const { status } = await dev.call(dev.tokens[0], "GET", `/v1/databases/${id}`);
    if (status === 404) return;
    await sleep(50);
  }
};

/** Writes tables with rows of a kilobyte, and an index, until they have about this many megabytes. */
export const fill = (url: string, megabytes: number): Promise<void> =>
  inSession(url, async (client) => {
    for (let table = 0; table < 4; table += 1)
      await client.query(
        `create table rows_${String(table)} as
           select n as id, repeat(md5(n::text), 31) as text from generate_series(1, ${String(megabytes * 250)}) n;
         alter table rows_${String(table)} add primary key (id)`,
      );
  });

/** Changes random rows of the tables of `fill`. */
export const writeRandomly = (url: string, count: number): Promise<void> =>
  inSession(url, async (client) => {
    for (let index = 0; index < count; index += 1) {
      const table = `rows_${String(index % 4)}`;
      await client.query(
        `update ${table} set text = md5(random()::text)
           where id = (select 1 + floor(random() * max(id))::integer from ${table})`,
      );
    }
  });

/**
 * Returns what a database contains: its objects as Postgres prints them, and a sum over all rows of each table, the values of sequences, and
 * large objects. No `pg_dump` of this version has to be installed.
 */
export const readContent = (url: string): Promise<string> =>
  inSession(url, async (client) => {
    await client.query("set search_path = pg_catalog; set statement_timeout = 0");
    const { rows: relations } = await client.query<{ name: string; kind: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name, c.relkind as kind
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where c.relkind in ('r', 'S', 'm') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema' order by 1`,
    );
    const lines: unknown[] = [];
    for (const { name, kind } of relations) {
      const sum =
        kind === "S"
          ? `select last_value, is_called from ${name}`
          : `select count(*), sum(hashtextextended(t::text, 0)::numeric) from ${name} t`;
      lines.push(name, ...(await client.query({ text: sum, rowMode: "array" })).rows);
    }
    const definitions = [
      "select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint order by 1, 2, 3",
      "select indexrelid::regclass::text, pg_get_indexdef(indexrelid), indisvalid from pg_index where indexrelid >= 16384 order by 1",
      "select attrelid::regclass::text, attname, format_type(atttypid, atttypmod) from pg_attribute where attrelid >= 16384 and attnum > 0 order by 1, attnum",
      "select relname, relpersistence from pg_class where oid >= 16384 and relkind in ('r', 'S') order by 1",
      "select extname, extversion from pg_extension order by 1",
      "select oid, hashtextextended(encode(lo_get(oid), 'hex'), 0) from pg_largeobject_metadata order by 1",
    ];
    for (const text of definitions) lines.push(...(await client.query({ text, rowMode: "array" })).rows);
    return lines.map((line) => JSON.stringify(line)).join("\n");
  });
