import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CollectionName, collectionNames, collections } from "../../src/store/collections.js";
import type { Key, KeyValue } from "../../src/store/keys.js";
import type { Row } from "../../src/store/rows.js";
import type { Collection, ExpiringCollection, Lookup } from "../../src/store/store.js";
import { type OpenStore, sampleRows } from "./store-under-test.js";

type AnyCollection = Collection<Row, Lookup> & Partial<Pick<ExpiringCollection<Row, Lookup>, "listExpired">>;

/** A model of a collection: a plain array that every lookup filters. */
class ModelCollection {
  rows: { sequence: number; row: Row }[] = [];
  #next = 1;

  insert(row: Row): void {
    this.rows.push({ sequence: this.#next, row });
    this.#next += 1;
  }

  update(id: string, changes: object): void {
    this.rows = this.rows.map((each) =>
      each.row.id === id ? { ...each, row: { ...each.row, ...changes } } : each,
    );
  }

  delete(id: string): void {
    this.rows = this.rows.filter(({ row }) => row.id !== id);
  }

  list(where: Lookup): Row[] {
    return this.rows.filter(({ row }) => matches(row, where)).map(({ row }) => row);
  }

  page(where: Lookup, after: number | undefined, limit: number, newestFirst: boolean): Row[] {
    const rows = newestFirst ? this.rows.toReversed() : this.rows;
    return rows
      .filter(({ sequence }) => after === undefined || (newestFirst ? sequence < after : sequence > after))
      .filter(({ row }) => matches(row, where))
      .map(({ row }) => row)
      .slice(0, limit);
  }

  listExpired(time: number): Row[] {
    const expiryOf = (row: Row): number =>
      "expiresAt" in row ? ((row.expiresAt as number | null) ?? Infinity) : Infinity;
    return this.rows
      .map(({ row }) => row)
      .filter((row) => expiryOf(row) <= time)
      .sort((left, right) => expiryOf(left) - expiryOf(right));
  }

  sequence(id: string): number | undefined {
    return this.rows.find(({ row }) => row.id === id)?.sequence;
  }
}

const valuesOf = (row: object, field: string): unknown[] => {
  const [outer = "", inner] = field.split(".");
  const value = (row as Record<string, unknown>)[outer];
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return inner === undefined ? values : values.map((item) => (item as Record<string, unknown>)[inner]);
};

const matches = (row: object, where: Lookup): boolean =>
  Object.entries(where).every(
    ([field, wanted]) =>
      wanted === undefined || [wanted].flat().some((value) => valuesOf(row, field).includes(value)),
  );

/** Returns one of a few values of a field that a key uses, so that rows often share them. */
const domains: Readonly<Record<string, readonly KeyValue[]>> = {
  isDefault: [true, false],
  status: ["pending", "approved", "denied", "created", "running"],
  branchId: [null, "b1", "b2"],
  branchGitName: [null, "main", "dev"],
  logicalId: [null, "one", "null"],
  grantId: [null, "g1", "g2"],
  projectId: ["p1", "p2"],
};

const domainOf = (field: string): readonly KeyValue[] => domains[field] ?? ["x", "y", "1:x"];

/** Returns values for the fields of the keys, as a row has them. */
const fieldsOf = (declared: readonly Key[], expires: boolean): fc.Arbitrary<object> => {
  const names = [...new Set(declared.flatMap(({ by, and = [] }) => [...by, ...and]))].filter(
    (name) => name !== "id",
  );
  const arbitraries = names.map((name): [string, fc.Arbitrary<unknown>] => {
    const value = fc.constantFrom(...domainOf(name));
    const [outer = "", inner] = name.split(".");
    if (inner !== undefined) return [outer, fc.array(fc.record({ [inner]: value }), { maxLength: 3 })];
    return [name, name === "memberIds" ? fc.array(value, { maxLength: 3 }) : value];
  });
  const expiry: [string, fc.Arbitrary<unknown>][] = expires
    ? [["expiresAt", fc.option(fc.nat(9), { freq: 5 })]]
    : [];
  return fc.record(Object.fromEntries([...arbitraries, ...expiry]), { requiredKeys: [] });
};

const ids = ["r1", "r2", "r3", "r4", "r5", "r6"];

/**
 * Generates a lookup that a key allows: all fields of `by` and some of `and`, each with one value or several.
 */
const lookupBy = ({ by, and = [] }: Key): fc.Arbitrary<Lookup> => {
  const value = (name: string) => {
    const one = fc.constantFrom(...(name === "id" ? ids : domainOf(name)));
    return fc.oneof({ weight: 3, arbitrary: one }, fc.array(one, { maxLength: 3 }));
  };
  return fc.record(Object.fromEntries([...by, ...and].map((name) => [name, value(name)])), {
    requiredKeys: [...by],
  });
};

const all = collectionNames.map((name): [CollectionName, boolean] => [name, "expires" in collections[name]]);

/** Tests that every declared key of every collection finds the same rows as a search through an array. */
export const describeModel = (open: OpenStore, runs: number): void => {
  describe("compared with arrays", () => {
    it.each(all)("%s has the same rows by every key, page and expiry", async (name, expires) => {
      const declared: readonly Key[] = collections[name].keys;
      const id = fc.constantFrom(...ids);
      const fields = fieldsOf(declared, expires);
      const lookup = fc.oneof(fc.constant<Lookup>({}), ...declared.map(lookupBy));
      const change = fc.oneof(
        { weight: 3, arbitrary: fc.record({ do: fc.constant("insert" as const), id, fields }) },
        { weight: 2, arbitrary: fc.record({ do: fc.constant("update" as const), id, fields }) },
        { weight: 1, arbitrary: fc.record({ do: fc.constant("delete" as const), id }) },
      );
      const question = fc.record({
        where: lookup,
        after: fc.option(fc.nat(12), { nil: undefined }),
        limit: fc.nat(4),
        newestFirst: fc.boolean(),
        time: fc.nat(10),
      });
      const step = fc.record({
        changes: fc.array(change, { maxLength: 4 }),
        questions: fc.array(question, { maxLength: 3 }),
      });

      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          const store = await open();
          const model = new ModelCollection();
          for (const { changes, questions } of steps) {
            const expected = () =>
              questions.map(({ where, after, limit, newestFirst, time }) => ({
                list: model.list(where),
                count: model.list(where).length,
                find: model.list(where)[0],
                page: model.page(where, after, limit, newestFirst),
                expired: expires ? model.listExpired(time) : [],
              }));
            const found = await store.run((step) => {
              // The model and the lookups treat all collections alike, by the table of keys.
              const collection = step[name] as unknown as AnyCollection;
              for (const each of changes) {
                const exists = collection.get(each.id) !== undefined;
                if (each.do === "delete") collection.delete(each.id);
                else if (each.do === "update" && exists) collection.update(each.id, each.fields);
                else if (each.do === "insert" && !exists) {
                  collection.insert({ ...sampleRows[name](each.id), ...each.fields });
                }
              }
              return {
                sequences: ids.map((id) => collection.get(id) && collection.getSequence(id)),
                size: collection.size,
                answers: questions.map(({ where, after, limit, newestFirst, time }) => ({
                  list: collection.list(where),
                  count: collection.count(where),
                  find: collection.find(where),
                  page: collection.listPage({ where, after, limit, newestFirst }),
                  expired: expires ? (collection.listExpired?.(time) ?? []) : [],
                })),
              };
            });
            for (const each of changes) {
              const exists = model.sequence(each.id) !== undefined;
              if (each.do === "delete") model.delete(each.id);
              else if (each.do === "update" && exists) model.update(each.id, each.fields);
              else if (each.do === "insert" && !exists)
                model.insert({ ...sampleRows[name](each.id), ...each.fields });
            }
            expect(found).toEqual({
              sequences: ids.map((each) => model.sequence(each)),
              size: model.rows.length,
              answers: expected(),
            });
          }
          await store.close();
        }),
        { numRuns: runs },
      );
    });
  });
};
