import { describe, expect, it } from "vitest";
import { type Up, useRecordedPlace } from "../../test/commands/preview/place.js";

const { place } = useRecordedPlace();

describe("deleting a preview", () => {
  it.each([
    ["databases.delete", "database:not_found", 0, "Deleted database"],
    ["branches.delete", "branch:not_found", 0, "Deleted branch a."],
    ["databases.delete", "branch:not_found", 6, "branch:not_found"],
    ["branches.delete", "database:not_found", 6, "database:not_found"],
  ] as const)(
    "counts what is gone already as deleted: %s responds %s",
    async (operation, code, status, text) => {
      await place.mgmt`preview up --branch a`;
      place.session.server.engine.faults.add({ operation, status: 404, code });
      const result = await place.mgmt`preview down --branch a --yes`;
      expect(result).toMatchObject({ status, stderr: expect.stringContaining(text) });
    },
  );

  it("keeps a branch that has something else by now, and says so in the result", async () => {
    const { databaseId } = (await place.mgmt`preview up --branch a -o json`).json as Up;
    place.session.server.engine.faults.add({
      operation: "branches.delete",
      status: 409,
      code: "branch:has_resources",
    });
    const { status, json } = await place.mgmt`preview down --branch a --yes -o json`;
    expect({ status, json }).toEqual({ status: 0, json: { branch: "a", databaseId, branchId: null } });
  });
});
