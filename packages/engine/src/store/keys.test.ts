import { describe, expectTypeOf, it } from "vitest";
import { type DatabaseRow, MemoryStore } from "@mgmt/engine/internal";
import type { CollectionLookup } from "./store.js";

const { databases, apps, projects, users, workspaces } = new MemoryStore();

describe("the types of lookups", () => {
  it("allow every declared combination", () => {
    databases.list({ projectId: "p" });
    databases.list({ projectId: "p", isDefault: true });
    databases.list({ workspaceId: "w", logicalId: "one", branchId: null });
    databases.list({ workspaceId: ["w"], projectId: undefined });
    apps.find({ "domains.name": "shop.example" });
    workspaces.list({ memberIds: "usr_1" });
    users.list({});
    expectTypeOf(databases.find({})).toEqualTypeOf<DatabaseRow | undefined>();
  });

  it("refuse every other combination, field and value", () => {
    const refused = () => {
      // @ts-expect-error No key has the field alone.
      projects.find({ logicalId: "one" });
      // @ts-expect-error Each of the two fields belongs to another key.
      databases.find({ isDefault: true, workspaceId: "w" });
      // @ts-expect-error A key's own fields are required.
      databases.find({ workspaceId: undefined });
      // @ts-expect-error The row has the field, but no key does.
      databases.find({ projectId: "p", status: "ready" });
      // @ts-expect-error No row has the field.
      databases.find({ project: "p" });
      // @ts-expect-error The field has values of another type.
      databases.find({ projectId: 1 });
      // @ts-expect-error The collection has no keys.
      users.find({ email: "ada@example.com" });
      // @ts-expect-error A predicate is not a lookup.
      projects.list((row) => row.workspaceId === "w");
      // @ts-expect-error Rows of this collection do not expire.
      projects.listExpired(0);
    };
    expectTypeOf(refused).toBeFunction();
    expectTypeOf<CollectionLookup<"clients">>().toEqualTypeOf<Readonly<Record<string, never>>>();
  });
});
