import { describe, expect, it } from "vitest";
import {
  toBackupName,
  toBackupSuffix,
  toDatabaseName,
  getDatabaseUse,
  toTenantDatabaseName,
} from "./names.js";
import { Installation, createInstallationKeys } from "./installation.js";

const installation = new Installation(createInstallationKeys());

describe("the name of a database", () => {
  it.each(["db_a", "a", "db_0123456789012345678901234567", "a".repeat(31), "pgx", "postgresx", "xpg_a"])(
    "is its id: %s",
    (id) => {
      expect(toDatabaseName(id)).toBe(id);
    },
  );

  it.each([
    "",
    "1db",
    "_db",
    "Db",
    "dB",
    "d-b",
    "d.b",
    'd"b',
    "db\n",
    "\ndb",
    "é",
    "a".repeat(32),
    "pg_a",
    "postgres",
    "template0",
    "template1",
  ])("is a digest of the id %j, which Postgres or the platform would take for something else", (id) => {
    expect(toDatabaseName(id)).toMatch(/^x_[0-9a-f]{29}$/);
    expect(toDatabaseName(id)).not.toBe(toDatabaseName(`${id}2`));
    expect(getDatabaseUse(toDatabaseName(id))).toBe("database");
  });

  it("is the same in every version", () => {
    expect(toDatabaseName("postgres")).toBe("x_a942b37ccfaf5a813b1432caa209a");
  });
});

describe("the names of copies", () => {
  const [database, backup] = ["db_a", "bkp_b"];

  it("tell what they are, and which database they belong to", () => {
    const names = [
      ["database", database],
      ["backup", toBackupName(database, backup)],
      ["temporary", installation.toStagingName(database)],
      ["temporary", installation.toReplacedName(database)],
      ["retained", installation.toRetainedName(database, "20240101")],
    ] as const;
    for (const [kind, name] of names) {
      expect([getDatabaseUse(name), toTenantDatabaseName(name)], name).toEqual([kind, database]);
      expect(name.length).toBeLessThanOrEqual(63);
    }
    expect(new Set(names.map(([, name]) => name)).size).toBe(names.length);
  });

  it("end with the suffix of the backup", () => {
    expect(toBackupName(database, backup)).toBe(`${database}${toBackupSuffix(backup)}`);
    expect(toBackupSuffix(backup)).toBe(".bkp_b");
    expect(toBackupSuffix("Bkp B")).toMatch(/^\.x_[0-9a-f]{29}$/);
  });

  it("fit, however long the ids are", () => {
    expect(Buffer.byteLength(toBackupName("a".repeat(500), "b".repeat(500)))).toBe(63);
    const name = toDatabaseName("a".repeat(500));
    for (const workName of [installation.toStagingName(name), installation.toReplacedName(name)]) {
      expect(Buffer.byteLength(workName)).toBeLessThanOrEqual(63);
      expect(toTenantDatabaseName(workName)).toBe(name);
    }
  });
});

describe("the kind of a name", () => {
  it.each([
    ["postgres", "system"],
    ["template0", "system"],
    ["template1", "system"],
    [`${installation.preparedNamePrefix}first`, "prepared"],
    [installation.toStagingName("db_a"), "temporary"],
    [installation.toReplacedName("db_a"), "temporary"],
    ["db_a.bkp_b", "backup"],
    ["db_a.spare.", "backup"],
    ["db_a.making.b", "backup"],
    ["making", "database"],
    ["spare", "database"],
    ["db_a", "database"],
  ])("of %s is %s", (name, kind) => {
    expect(getDatabaseUse(name)).toBe(kind);
  });
});
