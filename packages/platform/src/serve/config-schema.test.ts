import { describe, expect, it } from "vitest";
import { serveSettingsSchema } from "./config-schema.js";

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** Returns the descriptions of all settings, by their full names. */
const listDescriptions = ({ properties = {} }: Schema, prefix = ""): [name: string, description: string][] =>
  Object.entries(properties).flatMap(([name, schema]) => [
    [prefix + name, schema.description ?? ""],
    ...listDescriptions(schema, `${prefix}${name}.`),
  ]);

describe("the schema of the settings", () => {
  it.each(listDescriptions(serveSettingsSchema))(
    "says what %s is, and not only its default",
    (_name, description) => {
      expect(description).toMatch(/^(?!Default)[A-Z].+\.$/);
    },
  );

  it("has settings inside of others", () => {
    expect(listDescriptions(serveSettingsSchema).map(([name]) => name)).toContain("limits.requests");
  });
});
