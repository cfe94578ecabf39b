import { assertKnownOptions } from "./known-options.js";
import { InvalidArgumentError } from "./invalid-argument-error.js";

/** The keywords of JSON Schema that describe an option. The type `function`, which JSON does not have, is added. */
export interface OptionSchema {
  readonly type?: "string" | "integer" | "number" | "boolean" | "object" | "function";
  readonly enum?: readonly string[];
  readonly pattern?: string;
  /** A description of values that match `pattern`, such as `a domain`. */
  readonly title?: string;
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly description?: string;
  /** Appears only in documents. Values are not checked against it. */
  readonly anyOf?: readonly object[];
}

/** A schema for every option of an interface. The names of optional ones end in `?`. */
export type OptionSchemas<T extends object> = {
  readonly [
    Name in keyof T & string as Partial<Pick<T, Name>> extends Pick<T, Name> ? `${Name}?` : Name
  ]-?: OptionSchema;
};

/**
 * Checks options that can come from JSON and from JavaScript.
 *
 * @param path where the options are: `settings.` for those in `settings`.
 * @throws TypeError for options that are not an object, and for an option that does not exist, is missing, or does not match its schema.
 */
export const assertOptions = (
  object: unknown,
  schemas: Readonly<Record<string, OptionSchema>>,
  path = "",
): void => {
  const options = Object.entries(schemas).map(([key, schema]) => ({
    name: key.replace(/\?$/, ""),
    isOptional: key.endsWith("?"),
    schema,
  }));
  assertKnownOptions(
    object,
    options.map(({ name }) => name),
    path,
  );
  for (const { name, isOptional, schema } of options) {
    const value: unknown = Reflect.get(Object(object), name);
    if (value === undefined ? !isOptional : !matchesSchema(value, schema))
      throw new InvalidArgumentError(`${path}${name} must be ${describeRequirement(schema)}`);
  }
};

const matchesSchema = (value: unknown, schema: OptionSchema): boolean => {
  if (schema.enum) return schema.enum.some((choice) => choice === value);
  switch (schema.type) {
    case "string":
      return typeof value === "string" && new RegExp(schema.pattern ?? "").test(value);
    case "integer":
      return Number.isInteger(value) && isInRange(value, schema);
    case "number":
      return isInRange(value, schema);
    case "boolean":
    case "function":
      return typeof value === schema.type;
    case "object":
      return typeof value === "object" && value !== null && !Array.isArray(value);
    default:
      return true;
  }
};

const isInRange = (
  value: unknown,
  { minimum = -Infinity, exclusiveMinimum = -Infinity, maximum = Infinity }: OptionSchema,
): boolean => typeof value === "number" && value >= minimum && value > exclusiveMinimum && value <= maximum;

const describeRequirement = (schema: OptionSchema): string => {
  if (schema.enum) return `one of ${schema.enum.join(", ")}`;
  if (schema.type === "string") return schema.title ?? "a string";
  if (schema.type === "boolean") return "true or false";
  if (schema.type === "object") return "an object";
  if (schema.type === "function") return "a function";
  const { minimum, exclusiveMinimum, maximum } = schema;
  const limits = [
    ...(minimum === undefined ? [] : [`at least ${String(minimum)}`]),
    ...(exclusiveMinimum === undefined ? [] : [`above ${String(exclusiveMinimum)}`]),
    ...(maximum === undefined ? [] : [`at most ${String(maximum)}`]),
  ];
  const kind = schema.type === "integer" ? "a whole number" : "a number";
  return limits.length === 0 ? kind : `${kind}, ${limits.join(" and ")}`;
};
