import type { JsonSchema, Parameter } from "./contract.js";

/** Two fields that a request may not have together. */
interface Exclusion {
  fields: readonly [string, string];
  /** Those of the two that may be there all the same while they are null. */
  nullable: ReadonlySet<string>;
}

/** One way to fill in an input whose fields cannot all be there. */
export interface Form {
  /** What tells this form from the others, by the first field of each choice. */
  names: string[];
  /** The fields of the choices that this form may have; true for one that it must have. */
  open: Map<string, boolean>;
  /** Those that it may not have, and whether null is let through. */
  closed: Map<string, { by: string[]; mayBeNull: boolean }>;
}

/**
 * The forms of a body, by what the contract refuses: `not` names fields that exclude each other (one `required` pair, or
 * several in `anyOf`), and `if`/`else` with a `required` each are two names for one field. None when all fields can be together.
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

/** The forms of a query, by the `x-not-with` of its parameters. */
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
    throw new Error(`The contract excludes [${fields.join(", ")}]; two fields are what exclude each other`);
  }
  return [first, second];
};

const forms = (fields: string[], exclusions: Exclusion[], needed: ReadonlySet<string>): Form[] => {
  for (const name of exclusions.flatMap((exclusion) => exclusion.fields)) {
    if (!fields.includes(name)) throw new Error(`The contract excludes ${name}, which is no field there`);
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

/** The fields that exclude each other, directly or through others; in the order of the contract. */
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

/** All of them but the empty one, those with the first names first. */
const subsets = ([first, ...rest]: string[]): string[][] => {
  if (first === undefined) return [];
  const without = subsets(rest);
  return [...without.map((each) => [first, ...each]), [first], ...without];
};

const product = <T>([first, ...rest]: T[][]): T[][] =>
  first === undefined ? [[]] : first.flatMap((each) => product(rest).map((others) => [each, ...others]));
