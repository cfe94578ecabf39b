import { describe, expect, it } from "vitest";
import { groups } from "./generated/groups.js";
import { commandOverrides, groupOverrides } from "./command-override.js";

const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();

describe("the overrides", () => {
  it("refer to existing fields", () => {
    for (const [id, { argument }] of Object.entries(commandOverrides)) {
      const definition = definitions.find((definition) => definition.id === id);
      expect(definition).toBeDefined();
      if (argument === undefined) continue;
      expect(definition?.body?.fields.map(({ path }) => path.join("."))).toContain(argument);
    }
  });

  it("describe every group, and no other", () => {
    expect(Object.keys(groupOverrides).sort()).toEqual(groups.map(({ name }) => name).sort());
  });
});
