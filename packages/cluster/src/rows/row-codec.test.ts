import { type Row, collections, serverTables } from "@mgmt/engine/internal";
import { describe, expect, it } from "vitest";
import { RecordKeys, UnknownRecordKeyError, createRecordKeyList } from "./record-keys.js";
import { AlteredSecretError, RowCodec, listSecretPaths } from "./row-codec.js";

const [firstList, secondList] = [createRecordKeyList(), createRecordKeyList()];
const codec = new RowCodec(new RecordKeys(firstList));

const connection = { ...collections.connections.sample, id: "con_1", pass: "planted-1" };
const database = {
  ...collections.databases.sample,
  id: "db_1",
  changes: [
    { id: "1", workspaceId: "w", type: "setPassword", connectionId: "con_1", pass: "planted-2" },
    { id: "2", workspaceId: "w", type: "createConnection", connection: { ...connection, pass: "planted-3" } },
    { id: "3", workspaceId: "w", type: "setPassword", connectionId: "con_2", pass: "planted-4" },
    { id: "4", workspaceId: "w", type: "deleteDatabase", projectId: null },
  ],
};
const deployment = { ...collections.deployments.sample, id: "dep_1", envVars: { "planted-5": "planted-6" } };
const server = {
  id: "state",
  createdAt: 1,
  signingKeys: [{ kid: "k", x: "x", d: "planted-7" }],
  cursorKey: "planted-8",
  formKey: "planted-9",
};
const generator = { id: "generator", createdAt: 1, ids: [1, 2, 3, 4], draws: null };
const initial = { id: "initial", createdAt: 1, snapshot: { store: { pass: "planted-10" } } };

/** A row of each kind that has secrets. */
const rows: readonly (readonly [table: string, row: Row])[] = [
  ["connections", connection],
  ["databases", database],
  ["deployments", deployment],
  ["server", server],
  ["server", generator],
  ["server", initial],
];

/** A stored row that a test changes. */
type Stored = Record<string, unknown>;

const store = (table: string, row: Row & Stored): Stored => JSON.parse(codec.encode(table, row)) as Stored;
const decode = (table: string, stored: Stored): Row => codec.decode(table, JSON.stringify(stored));

describe("a stored row", () => {
  it.each(rows)("of %s shows no secret, and is read as it was", (table, row) => {
    const text = codec.encode(table, row);
    expect(text).not.toContain("planted");
    expect(codec.decode(table, text)).toEqual(row);
    // The other fields remain, for lookups and for conditions in SQL.
    expect(text).toContain(JSON.stringify(row.id));
  });

  it("covers every declared secret in the rows of this test", () => {
    const names = Object.keys({ ...collections, ...serverTables });
    const namesWithSecrets = names.filter((name) => listSecretPaths(name).length > 0);
    expect(new Set(namesWithSecrets)).toEqual(new Set(rows.map(([table]) => table)));
    expect(store("server", generator)["ids"]).toMatch(/^v1\./);
  });

  it("has another text for each secret at its place", () => {
    const texts = Array.from({ length: 300 }, (_, index) => {
      const pass = `planted ${String(index % 2)}`;
      return store("connections", { ...connection, pass })["pass"];
    });
    expect(new Set(texts).size).toBe(300);
  });

  it("keeps the text of each secret that has not changed", () => {
    const [first, second] = [
      database,
      { ...database, changes: [...database.changes, database.changes[0]] },
    ].map((row) => (JSON.parse(codec.encode("databases", row)) as { changes: unknown[] }).changes);
    expect(second?.slice(0, 4)).toEqual(first);
    expect(second?.[4]).not.toEqual(first?.[0]);
  });

  it("has no encrypted value where there is no secret", () => {
    expect(store("deployments", { ...deployment, envVars: null })["envVars"]).toBeNull();
    const { changes, ...unchanged } = database;
    expect(changes).toHaveLength(4);
    expect(store("databases", unchanged)).toEqual(unchanged);
    expect(codec.encode("projects", collections.projects.sample)).toBe(
      JSON.stringify(collections.projects.sample),
    );
  });

  it.each(["", "\u0000\u0001\ud800", "é 🐘", "v1.a.b"])("keeps the secret %j", (pass) => {
    const row = { ...connection, pass, name: pass };
    expect(codec.decode("connections", codec.encode("connections", row))).toEqual(row);
  });

  it("is not changed by what encodes it", () => {
    const copy = structuredClone(database);
    codec.encode("databases", database);
    expect(database).toEqual(copy);
  });
});

describe("a secret of another place", () => {
  const other = store("connections", { ...connection, id: "con_2", pass: "theirs" });

  it("is refused in another row", () => {
    const stored = store("connections", connection);
    expect(() => decode("connections", { ...stored, pass: other["pass"] })).toThrow(
      "pass of con_1 in the table connections cannot be decrypted",
    );
    // The control: it is the encryption of the place that differs.
    expect(decode("connections", other)).toMatchObject({ pass: "theirs" });
  });

  it("is refused in another field", () => {
    const stored = store("server", server);
    const moved = { ...stored, cursorKey: stored["formKey"] };
    expect(() => decode("server", moved)).toThrow(AlteredSecretError);
  });

  it("is refused at another index of the same array", () => {
    const stored = store("databases", database);
    const [one, , three] = stored["changes"] as [Stored, Stored, Stored];
    [one["pass"], three["pass"]] = [three["pass"], one["pass"]];
    expect(() => decode("databases", stored)).toThrow("changes.0.pass of db_1");
  });

  it("is refused in a row with the same id of another table", () => {
    const stored = store("connections", { ...connection, id: "dep_1" });
    const moved = { ...store("deployments", deployment), envVars: stored["pass"] };
    expect(() => decode("deployments", moved)).toThrow(AlteredSecretError);
  });
});

describe("a secret that was changed", () => {
  it("is refused, whichever of its bytes differs", () => {
    const stored = store("connections", connection);
    const [version = "", keyId = "", data = ""] = String(stored["pass"]).split(".");
    const bytes = Buffer.from(data, "base64url");
    for (let index = 0; index < bytes.length; index += 1) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
      const pass = `${version}.${keyId}.${changed.toString("base64url")}`;
      expect(() => decode("connections", { ...stored, pass })).toThrow(AlteredSecretError);
    }
    for (let length = 0; length < bytes.length; length += 1) {
      const pass = `${version}.${keyId}.${bytes.subarray(0, length).toString("base64url")}`;
      expect(() => decode("connections", { ...stored, pass })).toThrow(AlteredSecretError);
    }
  });

  it.each(["in clear", "", 1, { a: 1 }, ["v1"], true, "v2.AAAAAAAAAAA.AAAA"])(
    "is refused when it is %j",
    (pass) => {
      const stored = { ...store("connections", connection), pass };
      expect(() => decode("connections", stored)).toThrow(AlteredSecretError);
    },
  );

  it("is not repeated in the error", () => {
    const stored = { ...store("connections", connection), pass: "in clear" };
    expect(() => decode("connections", stored)).not.toThrow("in clear");
  });
});

describe("rows of several keys", () => {
  const rotated = new RowCodec(new RecordKeys(secondList + firstList));
  const reversed = new RowCodec(new RecordKeys(firstList + secondList));

  it("are read by every process that has the keys, in any order", () => {
    for (const writer of [codec, rotated, reversed]) {
      const text = writer.encode("databases", database);
      for (const reader of [rotated, reversed]) expect(reader.decode("databases", text)).toEqual(database);
    }
  });

  it("are refused by a process that does not have the key, which the error names", () => {
    const text = rotated.encode("connections", connection);
    const { id } = new RecordKeys(secondList).current;
    expect(() => codec.decode("connections", text)).toThrow(new UnknownRecordKeyError([id]));
  });

  it("have the first key as soon as it changes", async () => {
    let list = firstList;
    const keys = new RecordKeys(list, () => Promise.resolve(list));
    const writer = new RowCodec(keys);
    const text = writer.encode("connections", connection);
    list = secondList + firstList;
    await keys.reload();
    expect(writer.reencode("connections", text)).toContain(`v1.${keys.current.id}.`);
    expect(writer.decode("connections", text)).toEqual(connection);
  });

  it("are encoded again when one of their secrets has another key than the first", () => {
    const isOld = (reader: RowCodec, text: string): boolean => {
      const encoded = reader.reencode("databases", text);
      if (encoded === undefined) return false;
      expect(reader.decode("databases", encoded)).toEqual(database);
      expect(isOld(reader, encoded)).toBe(false);
      return true;
    };
    const text = codec.encode("databases", database);
    expect([codec, reversed, rotated].map((reader) => isOld(reader, text))).toEqual([false, false, true]);
    const [oldChanges, newChanges] = [codec, rotated].map(
      (writer) => (JSON.parse(writer.encode("databases", database)) as { changes: unknown[] }).changes,
    );
    const mixed = JSON.stringify({
      ...database,
      changes: [newChanges?.[0], ...(oldChanges?.slice(1) ?? [])],
    });
    expect([rotated, reversed].map((reader) => isOld(reader, mixed))).toEqual([true, true]);
    expect(rotated.reencode("projects", "{}")).toBeUndefined();
  });

  it("are not encoded again without a secret that cannot be decrypted, which decode reads as null", () => {
    const alteredErrors: AlteredSecretError[] = [];
    const tolerant = new RowCodec(new RecordKeys(secondList + firstList), (error) =>
      alteredErrors.push(error),
    );
    const { pass } = store("connections", { ...connection, id: "con_2" });
    for (const alteredPass of [pass, "in clear"]) {
      const altered = JSON.stringify({ ...store("connections", connection), pass: alteredPass });
      expect(() => tolerant.reencode("connections", altered)).toThrow(AlteredSecretError);
      expect(alteredErrors).toEqual([]);
      expect(tolerant.decode("connections", altered)).toEqual({ ...connection, pass: null });
      expect(alteredErrors.splice(0)).toHaveLength(1);
    }
  });
});
