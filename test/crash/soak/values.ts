import type { Contract, JsonSchema } from "../../../scripts/generate/contract/contract.js";
import type { Random } from "../random.js";

/** Values that are rarely valid where they are put. */
export const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e300,
  0.1,
  "",
  " ",
  "\u0000",
  "\ud800",
  "__proto__",
  "a".repeat(10_000),
  [],
  [[]],
  {},
  { constructor: { prototype: {} } },
];

const texts = ["web", "shop", "main", "dev", "eu-west-3", "us-east-1", "naïve 🎈", "x".repeat(64)] as const;

/** Generates values for the schemas of a contract. */
export class Values {
  readonly #contract: Contract;
  readonly #random: Random;
  readonly #idOf: (kind: string) => string;

  /** @param idOf returns the id of a resource of a kind, which may be gone. */
  constructor(contract: Contract, random: Random, idOf: (kind: string) => string) {
    this.#contract = contract;
    this.#random = random;
    this.#idOf = idOf;
  }

  /**
   * Returns a value for a schema. It is mostly valid.
   *
   * @param oddness chance of an odd value in each place, from 0 to 1.
   */
  of(schema: JsonSchema, oddness: number): unknown {
    const random = this.#random;
    if (random.next() < oddness) return random.pick(oddValues);
    const resolved = this.#contract.resolve(schema);
    const alternatives = resolved.oneOf ?? resolved.anyOf;
    if (alternatives) return this.of(random.pick(alternatives), oddness);
    if (resolved["x-id-kind"] !== undefined) return this.#idOf(resolved["x-id-kind"]);
    if (resolved.const !== undefined) return resolved.const;
    if (resolved.enum) return random.pick(resolved.enum);
    const type = Array.isArray(resolved.type) ? random.pick(resolved.type) : resolved.type;
    switch (type) {
      case "string":
        return random.pick([...texts, ...(resolved.examples ?? [])]);
      case "integer":
        return (resolved.minimum ?? 0) + random.below(Math.min(resolved.maximum ?? 100, 100));
      case "number":
        return random.next() * 100;
      case "boolean":
        return random.next() < 0.5;
      case "null":
        return null;
      case "array":
        return Array.from({ length: random.below(3) }, () => this.of(resolved.items ?? {}, oddness));
      default:
        return this.#object(resolved, oddness);
    }
  }

  #object(schema: JsonSchema, oddness: number): Record<string, unknown> {
    const random = this.#random;
    const parts = [schema, ...(schema.allOf ?? []).map((part) => this.#contract.resolve(part))];
    const required = new Set(parts.flatMap((part) => part.required ?? []));
    const entries = parts
      .flatMap((part) => Object.entries(part.properties ?? {}))
      .filter(([name]) => required.has(name) || random.next() < 0.3)
      .filter(() => random.next() >= oddness)
      .map(([name, property]): [string, unknown] => [name, this.of(property, oddness)]);
    if (random.next() < oddness) entries.push(["unknownField", random.pick(oddValues)]);
    return Object.fromEntries(entries);
  }
}
