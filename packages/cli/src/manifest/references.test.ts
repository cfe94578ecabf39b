import { describe, expect, it } from "vitest";
import { assertReferences, collectReferences, replaceReferences } from "./references.js";

const database = (...path: string[]) => ({ resource: "database", path });
const referrer = database("a", "main", "b");
const sourceOf = (databaseId: unknown) => ({ source: { type: "database", databaseId } });

describe("the reference of an entry", () => {
  it.each([
    [{ database: "c" }, "a/main/c"],
    [{ branch: "x", database: "c" }, "a/x/c"],
    [{ project: "shop", database: "c" }, "shop/main/c"],
    [{ project: "shop", branch: "x" }, "shop/x"],
    [{ database: 1 }, "a/main/b"],
  ])("has the place of its entry where it names no other: %j", (reference, path) => {
    const fields = sourceOf(reference);
    expect(collectReferences(fields, referrer).map((reference) => reference.path.join("/"))).toEqual([path]);
    expect(replaceReferences(fields, referrer, (address) => `id of ${address.path.join("/")}`)).toEqual(
      sourceOf(`id of ${path}`),
    );
  });

  it("is none without the name of a kind", () => {
    const fields = { ...sourceOf("db_1"), name: "database", labels: { table: "c" }, region: null };
    expect(collectReferences(fields, referrer)).toEqual([]);
    expect(replaceReferences(fields, referrer, () => "replaced")).toEqual(fields);
  });

  it.each([
    [{ database: "zzz" }, "there is no database a/main/zzz"],
    [{ database: "catalgo" }, "there is no database a/main/catalgo. Did you mean catalog?"],
    [
      { project: "shpo", database: "catalog" },
      "there is no database shpo/main/catalog. Did you mean shop/main/catalog?",
    ],
  ])("is refused with its place if nothing has its path: %j", (reference, problem) => {
    const entry = { ...referrer, fields: sourceOf(reference) };
    const known = [referrer, database("a", "main", "catalog"), database("shop", "main", "catalog")];
    const locate = (_: unknown, fieldPath: readonly string[] = []) => `mgmt.yaml at ${fieldPath.join(".")}`;
    expect(() => {
      assertReferences([entry], known, locate);
    }).toThrow(
      expect.objectContaining({
        code: "manifest:invalid",
        message: `mgmt.yaml at source.databaseId.database: database a/main/b: ${problem}`,
      }),
    );
  });
});
