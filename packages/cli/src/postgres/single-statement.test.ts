import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import type { Client } from "pg";
import { fakeAccess } from "../../test/postgres/fake-access.js";
import { type FakePostgres, startFakePostgres, type TypedRows } from "../../test/postgres/fake-postgres.js";
import { createPostgresClient } from "./session.js";
import { SingleStatement, StatementConnectionError, type TextRow } from "./single-statement.js";

let postgres: FakePostgres | undefined;
let client: Client | undefined;
afterEach(() => {
  client?.connection.stream.destroy();
  postgres?.close();
});

const columns = [["a", 25]] as const;
const start = async (reply: Parameters<typeof startFakePostgres>[0]): Promise<SingleStatement> => {
  postgres = await startFakePostgres(reply);
  client = createPostgresClient(fakeAccess(postgres));
  await client.connect();
  const statement = new SingleStatement("select a");
  client.query(statement);
  return statement;
};
const readAll = async (statement: SingleStatement): Promise<TextRow[]> => {
  const rows: TextRow[] = [];
  for await (const portion of statement.readPortions()) rows.push(...portion);
  return rows;
};

describe("a statement of its own", () => {
  it("has all rows, the columns, and the command tag", async () => {
    const table = Array.from({ length: 10_000 }, (_, index) => [
      index % 3 === 0 ? null : `value ${String(index)}`,
    ]);
    const reply: TypedRows = { columns, table, tag: "SELECT 10000" };
    const statement = await start(() => reply);
    expect(await readAll(statement)).toEqual(table);
    expect(statement).toMatchObject({ isDone: true, isCut: false, commandTag: "SELECT 10000" });
    expect(statement.columns.map(({ name }) => name)).toEqual(["a"]);
  });

  it("stops the server while its rows are not read", async () => {
    let sentRows = 0;
    const endlessRows = function* (): Generator<string[]> {
      for (;;) {
        sentRows += 1;
        yield ["x".repeat(10_000)];
      }
    };
    const statement = await start(() => ({ columns, table: endlessRows() }));
    const portions = statement.readPortions();
    const first = await portions.next();
    expect(first.done ? 0 : first.value.length).toBeLessThan(100);
    if (client) await once(client.connection.stream, "pause");
    expect(client?.connection.stream.isPaused()).toBe(true);
    expect(sentRows).toBeGreaterThan(10);
  });

  it("ends for two readers, and gives each row to one of them", async () => {
    const table = Array.from({ length: 10_000 }, (_, index) => [`value ${String(index)}`]);
    const statement = await start(() => ({ columns, table }));
    const [left, right] = await Promise.all([readAll(statement), readAll(statement)]);
    expect(left.length + right.length).toBe(table.length);
  });

  it.each([
    ["is refused", { error: "no", state: "42601" } as const, { code: "42601", message: "no" }],
    ["loses its connection", "break" as const, expect.any(StatementConnectionError)],
  ])("fails if it %s", async (_, reply, failure) => {
    await expect(readAll(await start(() => reply))).rejects.toEqual(
      failure instanceof Object && "code" in failure ? expect.objectContaining(failure) : failure,
    );
  });
});
