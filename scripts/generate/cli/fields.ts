import type { Field } from "../../../packages/cli/src/contract/generated-command.js";
import type { JsonSchema } from "../contract/contract.js";

type Resolve = (schema: JsonSchema) => JsonSchema;

export const kebab = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1-$2")
    .replaceAll("_", "-")
    .toLowerCase();

/** A schema whose references, `allOf` and unions are merged into one flat schema. */
interface Shape extends JsonSchema {
  nullable: boolean;
}

/** Returns the fields of a body. Scalars of nested objects are fields (`source-type`), maps and lists are JSON. */
export const bodyFields = (schema: JsonSchema, resolve: Resolve): Field[] =>
  objectFields(schema, { path: [], required: true, description: "" }, resolve);

interface Parent {
  path: readonly string[];
  /** Whether every body must have it. */
  required: boolean;
  /** Used for fields without a description. */
  description: string;
}

const objectFields = (schema: JsonSchema, parent: Parent, resolve: Resolve): Field[] => {
  const { properties = {}, required = [] } = shapeOf(schema, resolve);
  return Object.entries(properties).flatMap(([name, property]) => {
    const path = [...parent.path, name];
    const needed = required.includes(name);
    const shape = shapeOf(property, resolve);
    if (shape.properties && !shape.nullable && !shape["x-secret"]) {
      const { description = "" } = shape;
      const nested = objectFields(
        property,
        { path, required: parent.required && needed, description },
        resolve,
      );
      return shape.deprecated ? nested.map((each) => ({ ...each, deprecated: true })) : nested;
    }
    const requirement = needed ? (parent.required ? "always" : "with-parent") : undefined;
    return [field(path, property, requirement, resolve, shape.description ?? parent.description)];
  });
};

export const field = (
  path: readonly string[],
  schema: JsonSchema,
  required: Field["required"],
  resolve: Resolve,
  help = "",
): Field => {
  const shape = shapeOf(schema, resolve);
  const isId = shape["x-id-kind"] !== undefined;
  if (!isId && shape.pattern !== undefined && shape["x-pattern-words"] === undefined) {
    throw new Error(`The pattern ${shape.pattern} needs x-pattern-words, which the command line prints`);
  }
  return compact({
    path,
    flag: path.map(kebab).join("-"),
    type: valueType(shape),
    help: (help || shape.description || "").trim().replaceAll(/\s+/g, " "),
    required,
    nullable: shape.nullable || undefined,
    secret: shape["x-secret"] || undefined,
    deprecated: shape.deprecated || undefined,
    prefix: shape["x-id-prefix"],
    enum: shape.enum?.filter((value): value is string | number => value !== null),
    default: shape.default,
    pattern: isId ? undefined : shape.pattern,
    patternWords: isId ? undefined : shape["x-pattern-words"],
    format: shape.format,
    minLength: shape.minLength,
    maxLength: shape.maxLength,
    minimum: shape.minimum,
    maximum: shape.maximum,
  });
};

const valueType = (shape: Shape): Field["type"] => {
  const types = [shape.type ?? []].flat();
  const [only] = types;
  if (types.length !== 1) return "json";
  return only === "string" || only === "integer" || only === "number" || only === "boolean" ? only : "json";
};

const shapeOf = (schema: JsonSchema, resolve: Resolve): Shape => {
  const { $ref: _, ...own } = schema;
  const target = schema.$ref === undefined ? schema : { ...shapeOf(resolve(schema), resolve), ...own };
  const parts = (target.allOf ?? []).map((part) => shapeOf(part, resolve));
  const union = target.oneOf ?? target.anyOf ?? [];
  const branches = union.filter(({ type }) => type !== "null").map((branch) => shapeOf(branch, resolve));
  const { allOf: _a, oneOf: _o, anyOf: _n, ...plain } = target;

  const shape = [...parts, foldUnion(branches), plain].reduce<JsonSchema>(merge, {});
  const types = [shape.type ?? (shape.const === undefined ? [] : typeof shape.const)].flat();
  const rest = types.filter((type) => type !== "null");
  const nullable =
    types.includes("null") ||
    branches.length < union.length ||
    [...branches, ...parts, target].some((part) => "nullable" in part && part.nullable === true);
  const { const: constant, type: _t, ...others } = shape;
  return {
    ...others,
    ...(rest.length > 0 && { type: rest.length === 1 ? rest[0] : rest }),
    ...(constant !== undefined && { enum: [constant] }),
    nullable,
  };
};

const merge = (left: JsonSchema, right: JsonSchema): JsonSchema => ({
  ...left,
  ...right,
  ...((left.properties ?? right.properties) && { properties: { ...left.properties, ...right.properties } }),
  ...((left.required ?? right.required) && {
    required: [...(left.required ?? []), ...(right.required ?? [])],
  }),
});

/** Merges the branches of a union: all properties, the required ones of all branches, and all allowed values. */
const foldUnion = (branches: Shape[]): JsonSchema => {
  const [first, ...others] = branches;
  if (!first || others.length === 0) return first ?? {};
  return others.reduce<JsonSchema>((left, right) => {
    const properties = { ...left.properties };
    for (const [name, property] of Object.entries(right.properties ?? {})) {
      const known = properties[name];
      const { const: _known, ...rest } = { ...known, ...property };
      properties[name] = known ? { ...rest, ...allowedValues(known, property) } : property;
    }
    const { enum: _, const: _c, pattern: _p, ...rest } = left;
    return {
      ...rest,
      type: [...new Set([left.type ?? [], right.type ?? []].flat())],
      ...allowedValues(left, right),
      ...(left.properties && { properties }),
      required: (left.required ?? []).filter((name) => right.required?.includes(name)),
    };
  }, first);
};

const allowedValues = (left: JsonSchema, right: JsonSchema): JsonSchema => {
  const [a, b] = [left, right].map(
    (schema) => schema.enum ?? (schema.const === undefined ? [] : [schema.const]),
  );
  if (!a?.length || !b?.length) return {};
  return { enum: [...new Set([...a, ...b])] };
};

/** Removes undefined values, to keep the table short. */
export const compact = <T extends object>(value: { [K in keyof T]: T[K] | undefined }): T =>
  // Only optional keys of T can be undefined in the argument.
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as T;
