import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import type { CommandSchema } from "../src/commands/schema/command-schema.js";
import { isObject } from "../src/json/json-path.js";
import { runInProcess } from "./in-process.js";

const ajv = new Ajv2020({ strict: false, validateFormats: false });

/** Returns what `mgmt schema` prints about a command. */
export const schemaOf = async (words: string): Promise<CommandSchema> => {
  const { status, json } = await runInProcess(["schema", ...words.split(" "), "-o", "json"]);
  expect(status).toBe(0);
  // The schema of `mgmt schema` itself is one of those that are tested.
  return json as CommandSchema;
};

/** Asserts that a schema is valid. */
export const expectSchema = (schema: object): void => void ajv.compile(schema);

/** Asserts that a value is what a schema says. */
export const expectValid = (schema: object | null, value: unknown): void => {
  const validate = ajv.compile(schema ?? false);
  expect({ valid: validate(value), errors: validate.errors }).toEqual({ valid: true, errors: null });
};

/** Returns a schema that allows no field that it does not declare. */
export const withoutOtherFields = (schema: object | null): object | null => {
  const copy = closed(schema);
  return isObject(copy) ? copy : null;
};

const closed = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(closed);
  if (!isObject(schema)) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]));
  return isObject(schema["properties"]) && schema["additionalProperties"] === undefined
    ? { ...inner, additionalProperties: false }
    : inner;
};
