import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import { parseDuration } from "./duration.js";
import { parseValue } from "./parse-value.js";
import { type CommandLineValues, readInput } from "./read-input.js";
import { InputSources } from "./sources.js";
import type { GeneratedCommand, Field } from "../contract/generated-command.js";

const sources = (text = ""): InputSources =>
  new InputSources({ stdin: Readable.from([text]) }, process.cwd());
const field = (more: Partial<Field> = {}): Field => ({
  path: ["name"],
  flag: "name",
  type: "string",
  help: "Its name.",
  ...more,
});
const read = (more: Partial<Field>, text: string): Promise<unknown> =>
  parseValue(field(more), text, "--name", sources());

describe("the value of a flag", () => {
  it("is parsed as a string, a number or JSON", async () => {
    expect(await read({}, "5")).toBe("5");
    expect(await read({ type: "integer" }, "-5")).toBe(-5);
    expect(await read({ type: "number" }, ".5e3")).toBe(500);
    expect(await read({ type: "json" }, '{"a":[1]}')).toEqual({ a: [1] });
  });

  it("is checked against its length in characters", async () => {
    expect(await read({ maxLength: 2 }, "🙂🙂")).toBe("🙂🙂");
    await expect(read({ maxLength: 2 }, "🙂🙂🙂")).rejects.toThrow("at most 2 characters, not 3");
    await expect(read({ minLength: 1 }, "")).rejects.toThrow("--name must not be empty");
    await expect(read({ minLength: 3 }, "ab")).rejects.toThrow("at least 3 characters");
  });

  it("is checked against inclusive bounds", async () => {
    const bounds = { type: "integer", minimum: 1, maximum: 3 } as const;
    expect([await read(bounds, "1"), await read(bounds, "3")]).toEqual([1, 3]);
    for (const text of ["0", "4", "9007199254740993", "", " 1", "1.0", "0x1"])
      await expect(read(bounds, text)).rejects.toThrow("--name must be");
    await expect(read({ type: "number", minimum: 0 }, "-1")).rejects.toThrow("of at least 0");
    await expect(read({ type: "number", maximum: 9 }, "10")).rejects.toThrow("of at most 9");
    await expect(read({ type: "number" }, "Infinity")).rejects.toThrow("must be a number");
  });

  it("is checked against allowed values, patterns and time formats", async () => {
    await expect(read({ enum: ["a", "b"] }, "c")).rejects.toMatchObject({ hint: "Allowed: a, b." });
    await expect(read({ pattern: "^a+$" }, "b")).rejects.toMatchObject({ hint: "It must match ^a+$." });
    expect(await read({ format: "date-time" }, "2026-11-01T00:00:00Z")).toBe("2026-11-01T00:00:00Z");
    for (const text of [
      "yesterday",
      "2026-11-01",
      "2026-13-01T00:00:00Z",
      "2026-02-29T00:00:00Z",
      "2026-02-31T00:00:00Z",
      "2026-11-01T24:00:00Z",
    ]) {
      await expect(read({ format: "date-time" }, text)).rejects.toThrow("must be a date and time");
    }
  });
});

describe("a duration", () => {
  it.each([
    ["90", 90_000],
    ["0.5", 500],
    ["250ms", 250],
    ["5m", 300_000],
    ["1h30m", 5_400_000],
  ])("accepts %j", (text, expected) => {
    expect(parseDuration(text, "--timeout")).toBe(expected);
  });

  it.each(["", "0", "5x", "m5", "-5m", "5 m", "1e3", "25h", "soon"])("refuses %j", (text) => {
    expect(() => parseDuration(text, "--timeout")).toThrow("--timeout cannot be");
  });
});

describe("the body", () => {
  const command = (fields: Field[], more: Partial<GeneratedCommand> = {}): GeneratedCommand => ({
    id: "things.create",
    commandPath: ["things", "create"],
    method: "POST",
    path: "/v1/things",
    origin: "extended",
    summary: "",
    description: "",
    arguments: [],
    query: [],
    body: { required: false, fields, examples: [] },
    envelope: "data",
    paged: false,
    ...more,
  });
  const nested = (name: string, required?: Field["required"]): Field =>
    field({ path: ["source", name], flag: `source-${name}`, required });
  const bodyOf = async (fields: Field[], typed: Partial<CommandLineValues>, stdin = ""): Promise<unknown> =>
    (await readInput(command(fields), { flags: {}, unset: [], ...typed }, sources(stdin))).body;
  const missingOf = async (fields: Field[], typed: Partial<CommandLineValues>): Promise<string[]> => {
    const { missingFields } = await readInput(command(fields), { flags: {}, unset: [], ...typed }, sources());
    return missingFields.map(({ flag }) => flag);
  };

  it("is absent if nothing is passed and nothing is required", async () => {
    expect(await bodyOf([field()], {})).toBeUndefined();
    expect(await bodyOf([field()], { body: "{}" })).toEqual({});
  });

  it("is overridden by flags, also in nested objects, and keeps unknown fields", async () => {
    const fields = [field(), nested("type"), nested("id")];
    const body = '{"name":"a","extra":1,"source":{"type":"x","other":true}}';
    expect(await bodyOf(fields, { body, flags: { name: "b", "source-id": "c" } })).toEqual({
      name: "b",
      extra: 1,
      source: { type: "x", other: true, id: "c" },
    });
  });

  it("requires a nested field only if its object is present", async () => {
    const fields = [nested("type", "with-parent"), nested("id")];
    expect(await bodyOf(fields, {})).toBeUndefined();
    expect(await missingOf(fields, {})).toEqual([]);
    expect(await missingOf(fields, { flags: { "source-id": "a" } })).toEqual(["source-type"]);
  });

  it("gets the only allowed value of a required field", async () => {
    const fields = [{ ...nested("type", "always"), enum: ["backup"] }, nested("id", "always")];
    expect(await bodyOf(fields, { flags: { "source-id": "a" } })).toEqual({
      source: { type: "backup", id: "a" },
    });
  });

  it("gets null from --unset, which overrides --body", async () => {
    const fields = [field({ nullable: true })];
    expect(await bodyOf(fields, { unset: ["name"], body: '{"name":"a"}' })).toEqual({ name: null });
  });

  it("is read from standard input, but only once", async () => {
    expect(await bodyOf([field()], { body: "-" }, '\uFEFF{"name":"a"}')).toEqual({ name: "a" });
    const fields = [field(), field({ path: ["b"], flag: "b", type: "json" })];
    await expect(bodyOf(fields, { body: "-", flags: { b: "-" } }, "{}")).rejects.toThrow(
      "--body and --b cannot both read standard input",
    );
  });

  it("does not find a field in __proto__", async () => {
    const body = '{"__proto__":{"name":"a"}}';
    expect(await missingOf([field({ required: "always" })], { body })).toEqual(["name"]);
  });
});
