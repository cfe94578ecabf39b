import { isSecretField } from "@mgmt/internal/generated/field-names";
import { describe, expect, expectTypeOf, it } from "vitest";
import { MemoryServer } from "../server/memory-server.js";
import { buildTables } from "../server/snapshot-tables.js";
import {
  type FaultRow,
  type GeneratorRow,
  type InitialStateRow,
  type JobRow,
  type ServerRow,
  serverTables,
} from "../context/server-rows.js";
import { type CollectionName, type Rows, type Table, collections } from "./collections.js";
import type { FieldPath } from "./keys.js";

/** Fields that are no secrets, although their names may be those of secrets. */
const plainFields = [
  // Hashes.
  "secretHash",
  "uploadKeyHash",
  // An object whose secret part is declared.
  "signingKeys",
] as const;

type AnyTable = Table & { readonly sample?: object };

const tables: Readonly<Record<string, AnyTable>> = { ...collections, ...serverTables };

const isSuspect = (name: string, value: unknown): boolean =>
  isSecretField(name) ||
  /pass|secret|token|key|credential/i.test(name) ||
  (typeof value === "string" && /:\/\/[^/]*:[^/]*@/.test(value));

/** Returns the paths of the fields of a row that may be secrets. */
const listSuspects = (value: unknown, prefix = ""): string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => listSuspects(item, prefix));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) => [
    ...(isSuspect(name, inner) ? [prefix + name] : []),
    ...listSuspects(inner, `${prefix}${name}.`),
  ]);
};

const isDeclared = (path: string, { secrets = [] }: Table): boolean =>
  secrets.some((secret) => path === secret || path.startsWith(`${secret}.`)) ||
  plainFields.some((field) => path === field);

type SecretWord = "pass" | "secret" | "token" | "key" | "credential" | "envvars";
type LastName<Path> = Path extends `${string}.${infer Rest}` ? LastName<Rest> : Path;
type Suspect<Path> = Path extends string
  ? Lowercase<LastName<Path> & string> extends `${string}${SecretWord}${string}`
    ? Path
    : never
  : never;
type Declared<T> = T extends { readonly secrets: readonly (infer Path)[] } ? Path : never;
type Undeclared<Row, T> = Exclude<Suspect<FieldPath<Row>>, Declared<T> | (typeof plainFields)[number]>;
type UndeclaredInCollections = {
  [Name in CollectionName]: Undeclared<Rows[Name], (typeof collections)[Name]>;
}[CollectionName];

describe("the secrets of a table", () => {
  it("include every field of its row type with the name of a secret", () => {
    expectTypeOf<UndeclaredInCollections>().toBeNever();
    expectTypeOf<
      Undeclared<ServerRow | GeneratorRow | InitialStateRow, typeof serverTables.server>
    >().toBeNever();
    expectTypeOf<Undeclared<JobRow, typeof serverTables.jobs>>().toBeNever();
    expectTypeOf<Undeclared<FaultRow, typeof serverTables.faults>>().toBeNever();
    // The rule sees what it has to see.
    expectTypeOf<Undeclared<Rows["connections"], object>>().toEqualTypeOf<"pass">();
    expectTypeOf<Undeclared<Rows["databases"], object>>().toEqualTypeOf<
      "changes.pass" | "changes.connection.pass"
    >();
  });

  it("include every field of its sample that looks like a secret", () => {
    const undeclaredFields = Object.entries(tables).flatMap(([name, table]) =>
      listSuspects(table.sample)
        .filter((path) => !isDeclared(path, table))
        .map((path) => `${name}.${path}`),
    );
    expect(undeclaredFields).toEqual([]);
    expect(listSuspects(collections.connections.sample)).toEqual(["pass"]);
    expect(listSuspects({ pages: [{ url: "postgres://u:p@h/d" }] })).toEqual(["pages.url"]);
  });

  it("include every field of the rows of a new server that looks like a secret", async () => {
    const server = new MemoryServer({ deterministic: "secrets" });
    await server.seed.project();
    const initialSnapshot = server.snapshot();
    const states = buildTables(initialSnapshot, { initialSnapshot, draws: null });
    const undeclaredFields = Object.entries(states).flatMap(([name, { rows }]) => {
      const table = tables[name] ?? { keys: [], indexes: [] };
      return rows
        .flatMap(([, row]) => listSuspects(row))
        .filter((path) => !isDeclared(path, table))
        .map((path) => `${name}.${path}`);
    });
    expect(undeclaredFields).toEqual([]);
  });

  it.each(Object.entries(tables))("are in no key and no index of %s", (_, table) => {
    const { secrets = [], keys, indexes, unique = [], expires } = table;
    const lookupFields = [
      ...keys.flatMap(({ by, and = [] }) => [...by, ...and]),
      ...indexes.flat(),
      ...unique.flat(),
      ...(expires ? [expires] : []),
      "id",
      "createdAt",
    ];
    expect(secrets.filter((path) => lookupFields.includes(path))).toEqual([]);
  });
});
