import type { JsonSchema, Parameter } from "./contract.js";

/** Two fields that cannot be combined in a request. */
interface Exclusion {
  fields: readonly [string, string];
  /** The fields that can be combined with the other one while they are null. */
  nullable: ReadonlySet<string>;
}

/** One way to fill in an input whose fields cannot all be combined. */
export interface Form {
  /** The first field of each choice, which names the form. */
  names: string[];
  /** The fields that this form allows, and whether they are required. */
  open: Map<string, boolean>;
  /** The fields that this form does not allow, the fields they conflict with, and whether they can be null. */
  closed: Map<string, { by: string[]; mayBeNull: boolean }>;
}

/**
 * Returns the forms of a body, or none if all its fields can be combined. In the contract, `not` lists the fields that exclude
 * each other (one `required` pair, or several in `anyOf`), and `if`/`else` with one `required` each are two names of one field.
 */
export const bodyForms = (schema: JsonSchema): Form[] => {
  const refused = schema.not === undefined ? [] : (schema.not.anyOf ?? [schema.not]);
  const exclusions = refused.map(({ required, properties = {} }) => ({
    fields: pair(required),
    nullable: new Set(Object.keys(properties)),
  }));
  const names = [schema.else?.required?.[0], schema.if?.required?.[0]].filter((name) => name !== undefined);
  if (names.length > 0) exclusions.push({ fields: pair(names), nullable: new Set() });
  return forms(Object.keys(schema.properties ?? {}), exclusions, new Set(names));
};

/** Returns the forms of a query, from the `x-not-with` of its parameters. */
export const queryForms = (parameters: Parameter[]): Form[] => {
  const exclusions = parameters.flatMap(({ name, notWith }) =>
    notWith.map((other) => ({ fields: pair([name, other]), nullable: new Set<string>() })),
  );
  return forms(
    parameters.map(({ name }) => name),
    exclusions,
    new Set(),
  );
};

const pair = (fields: string[] = []): readonly [string, string] => {
  const [first, second, ...more] = fields;
  if (first === undefined || second === undefined || more.length > 0) {
    throw new Error(`The contract excludes [${fields.join(", ")}]; an exclusion must name two fields`);
  }
  return [first, second];
};

const forms = (fields: string[], exclusions: Exclusion[], needed: ReadonlySet<string>): Form[] => {
  for (const name of exclusions.flatMap((exclusion) => exclusion.fields)) {
    if (!fields.includes(name))
      throw new Error(`The contract excludes ${name}, which is not a field of the same schema`);
  }
  if (exclusions.length === 0) return [];
  const excludedBy = (name: string, chosen: string[]): Exclusion[] =>
    exclusions.filter(
      (exclusion) =>
        exclusion.fields.includes(name) &&
        exclusion.fields.some((other) => other !== name && chosen.includes(other)),
    );
  const choices = connected(fields, exclusions).map((group) =>
    subsets(group).filter((chosen) =>
      group.every((name) => chosen.includes(name) === (excludedBy(name, chosen).length === 0)),
    ),
  );
  return product(choices).map((picked) => {
    const chosen = picked.flat();
    const closed = exclusions.flatMap((each) => each.fields).filter((name) => !chosen.includes(name));
    return {
      names: picked.map(([first = ""]) => first),
      open: new Map(chosen.map((name) => [name, needed.has(name)])),
      closed: new Map(
        closed.map((name) => {
          const by = excludedBy(name, chosen);
          const others = by.flatMap((each) => each.fields).filter((other) => other !== name);
          return [name, { by: others, mayBeNull: by.every(({ nullable }) => nullable.has(name)) }];
        }),
      ),
    };
  });
};

/** Groups the fields that exclude each other directly or through others, in the order of the contract. */
const connected = (fields: string[], exclusions: Exclusion[]): string[][] => {
  const groups: string[][] = [];
  for (const { fields: both } of exclusions) {
    const met = groups.filter((group) => both.some((name) => group.includes(name)));
    const rest = groups.filter((group) => !met.includes(group));
    const merged = new Set([...met.flat(), ...both]);
    groups.splice(
      0,
      groups.length,
      ...rest,
      fields.filter((name) => merged.has(name)),
    );
  }
  return groups;
};

/** Returns all non-empty subsets, starting with those that contain the first names. */
const subsets = ([first, ...rest]: string[]): string[][] => {
  if (first === undefined) return [];
  const without = subsets(rest);
  return [...without.map((each) => [first, ...each]), [first], ...without];
};

const product = <T>([first, ...rest]: T[][]): T[][] =>
  first === undefined ? [[]] : first.flatMap((each) => product(rest).map((others) => [each, ...others]));
