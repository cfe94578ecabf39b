import { collections, serverTables } from "@mgmt/engine/internal";
import { describe, expect, it, vi } from "vitest";
import { ModelDatabases } from "../../../engine/test/rules/model-databases.js";
import { StoreCluster } from "../../test/rows/store-cluster.js";
import { StoredProcess, createDatabase } from "../../test/rows/stored-process.js";
import { AlteredSecretError, listSecretPaths } from "./row-codec.js";

const cluster = new StoreCluster();

/** Returns everything that stands in the tables of a schema, as a dump has it. */
const dump = async (schema: string): Promise<string> => {
  const { rows } = await cluster.pool.query<{ dump: string }>(
    "select schema_to_xml($1::name, true, false, '')::text as dump",
    [schema],
  );
  return rows[0]?.dump ?? "";
};

/** Returns the strings in the values at a path. */
const stringsAt = (value: unknown, path: readonly string[]): string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => stringsAt(item, path));
  if (typeof value === "string") return path.length === 0 ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  const [name, ...innerPath] = path;
  const fields: [string, unknown][] = Object.entries(value);
  return fields
    .filter(([field]) => name === undefined || field === name)
    .flatMap(([, inner]) => stringsAt(inner, innerPath));
};

describe("the records in Postgres", () => {
  it("show no secret in a dump, also not while a change is pending", async () => {
    const schema = cluster.newSchema();
    const databaseEngine = new ModelDatabases();
    const settings = { lifecycle: { provisioning: 0 } };
    const process = await StoredProcess.open(cluster, schema, { databaseEngine, settings });
    const { engine, records } = process;
    const databaseId = await createDatabase(process);
    await engine.states.setDatabaseStatus(databaseId, "ready");
    const connections = await process.send("connections.list", { query: `?databaseId=${databaseId}` });
    const [{ id: connectionId = "" } = {}] = connections.data as unknown as { id: string }[];
    const { id: appId } = await engine.seed.app((await engine.seed.project()).id);
    await engine.seed.deployment(appId, { envVars: { API_KEY: "planted-variable" } });
    await engine.saveStateAsInitial();

    const held = databaseEngine.hold("grant");
    const path = { databaseId };
    const created = process.send("databases.connections.create", { path, body: { name: "app" } });
    await held.begun;
    const rotated = process.send("connections.rotate", { path: { id: connectionId } });
    const listChanges = () => engine.read(({ store }) => store.databases.get(databaseId)?.changes);
    await vi.waitFor(async () => expect(await listChanges()).toHaveLength(2));
    const [text, states] = [await dump(schema), await records.readAllTables()];
    held.release();
    expect([(await created).status, (await rotated).status]).toEqual([200, 200]);

    const tables = Object.keys({ ...collections, ...serverTables });
    for (const table of tables) {
      for (const secretPath of listSecretPaths(table)) {
        // Servers whose ids can be predicted have `ids`.
        if (secretPath[0] === "ids" || secretPath[0] === "snapshot") continue;
        const secrets = (states[table]?.rows ?? []).flatMap(([, row]) => stringsAt(row, secretPath));
        expect([table, secretPath, secrets.length > 0]).toEqual([table, secretPath, true]);
        for (const secret of secrets) expect(text).not.toContain(secret);
      }
    }
    expect(JSON.stringify(states)).toContain("planted-variable");
    // The control: other fields are in the dump.
    expect(text).toContain(connectionId);
  });

  it.each([
    [
      "was moved from another row",
      `update SCHEMA.connections mine set doc = jsonb_set(mine.doc, '{pass}', theirs.doc -> 'pass')
        from SCHEMA.connections theirs where mine.database_id = $1 and theirs.database_id = $2`,
    ],
    [
      "somebody wrote in clear",
      `update SCHEMA.connections set doc = doc || '{"pass": "chosen by somebody"}' where database_id = $1 and $2 <> ''`,
    ],
  ])("are read without a password that %s, until it is rotated", async (_case, statement) => {
    const schema = cluster.newSchema();
    const log: string[] = [];
    const process = await StoredProcess.open(cluster, schema, { onLog: (line) => log.push(line) });
    const [altered, intact] = [await createDatabase(process), await createDatabase(process)];
    await cluster.pool.query(statement.replaceAll("SCHEMA", schema), [altered, intact]);
    const list = async () => {
      const { status, data } = await process.send("connections.list");
      expect(status).toBe(200);
      return data as unknown as { id: string; directConnection: { pass: string } | null }[];
    };
    const [{ id = "" } = {}] = await list();
    await list();
    expect(await list()).toMatchObject([
      { id, directConnection: null },
      { directConnection: { pass: expect.any(String) } },
    ]);
    const { data } = await process.send("connections.get", { path: { id } });
    expect(data).toMatchObject({ id, directConnection: null });
    expect(log).toEqual([
      `pass of ${id} in the table connections cannot be decrypted: it was changed, or it belongs to another row or field`,
    ]);

    const { data: rotated } = await process.send("connections.rotate", { path: { id } });
    expect((await list())[0]?.directConnection?.pass).toBe(rotated["pass"]);
  });

  it("keep the row of another secret from being read when it was altered", async () => {
    const schema = cluster.newSchema();
    const process = await StoredProcess.open(cluster, schema, { isStarted: false });
    const { id: appId } = await process.engine.seed.app((await process.engine.seed.project()).id);
    const { id } = await process.engine.seed.deployment(appId, { envVars: { A: "1" } });
    await cluster.pool.query(`update ${schema}.deployments set doc = doc || '{"envVars": "in clear"}'`);
    const read = process.engine.read(({ store }) => store.deployments.get(id));
    await expect(read).rejects.toThrow(AlteredSecretError);
  });
});
