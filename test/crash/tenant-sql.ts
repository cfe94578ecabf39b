import { Client, DatabaseError } from "pg";
import { within } from "./violation.js";

/** The longest time that work on a database may take, in milliseconds. Only a defect exceeds it. */
const deadline = 60_000;

/** Runs work on a new connection of a tenant. */
const connected = async <T>(url: string, work: (client: Client) => Promise<T>): Promise<T> => {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  const run = client.connect().then(() => work(client));
  return within(deadline, run, `A session of ${new URL(url).username} does not end`).finally(
    () => void client.end().catch(() => undefined),
  );
};

/** Returns the content of the table `marker`; null when there is no such table. */
export const readMarker = (url: string): Promise<number | null> =>
  connected(url, async (client) => {
    const { rows: tables } = await client.query("select to_regclass('public.marker') is not null as found");
    if (!tables[0]?.found) return null;
    const { rows } = await client.query<{ value: number }>("select value from public.marker");
    return rows[0]?.value ?? null;
  });

/** Replaces the content of the table `marker` in one transaction, with enough rows beside it to make copies take a while. */
export const writeMarker = (url: string, value: number): Promise<void> =>
  connected(url, async (client) => {
    await client.query(
      `begin;
       create table if not exists public.marker (value int);
       create table if not exists public.ballast as select generate_series(1, 20000) as n;
       delete from public.marker;
       insert into public.marker values (${String(value)});
       commit`,
    );
  });

/** Returns whether Postgres refuses the login: a wrong password or an unknown user. */
export const isRejected = (url: string): Promise<boolean> =>
  connected(url, () => Promise.resolve(false)).catch((error: unknown) => {
    if (error instanceof DatabaseError && error.code?.startsWith("28")) return true;
    throw error;
  });

/** Runs a statement. Returns the SQLSTATE with which Postgres refuses it, `lost` when the session ends, and undefined on success. */
export const runStatement = (url: string, statement: string): Promise<string | undefined> =>
  connected(url, (client) => client.query(statement)).then(
    () => undefined,
    (error: unknown) => (error instanceof DatabaseError ? (error.code ?? "lost") : "lost"),
  );
