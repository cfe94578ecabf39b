import type { Contract, JsonSchema } from "../../../scripts/generate/contract/contract.js";
import type { Random } from "../random.js";

/** Values that are rarely valid where they are put. */
export const oddValues: readonly unknown[] = [
  ...[null, true, 0, -1, 1e300, 0.1, "", " ", "\u0000", "\ud800", "__proto__", "a".repeat(10_000)],
  ...[[], [[]], {}, { constructor: { prototype: {} } }],
];

const texts = ["web", "shop", "main", "dev", "eu-west-3", "us-east-1", "naïve 🎈", "x".repeat(64)] as const;

/** Generates values for the schemas of a contract. */
export class Values {
  /** @param idOf returns the id of a resource of a kind, which may be gone. */
  constructor(
    private readonly contract: Contract,
    private readonly random: Random,
    private readonly idOf: (kind: string) => string,
  ) {}

  /**
   * Returns a value for a schema. It is mostly valid.
   *
   * @param oddness percentage of places with an odd value.
   */
  of(schema: JsonSchema, oddness: number): unknown {
    const { random } = this;
    if (random.chance(oddness)) return random.pick(oddValues);
    const resolved = this.contract.resolve(schema);
    const alternatives = resolved.oneOf ?? resolved.anyOf;
    if (alternatives) return this.of(random.pick(alternatives), oddness);
    if (resolved["x-id-kind"] !== undefined) return this.idOf(resolved["x-id-kind"]);
    if (resolved.const !== undefined) return resolved.const;
    if (resolved.enum) return random.pick(resolved.enum);
    const byType: Record<string, () => unknown> = {
      string: () => random.pick([...texts, ...(resolved.examples ?? [])]),
      integer: () => (resolved.minimum ?? 0) + random.below(Math.min(resolved.maximum ?? 100, 100)),
      number: () => random.below(10_000) / 100,
      boolean: () => random.chance(50),
      null: () => null,
      array: () => Array.from({ length: random.below(3) }, () => this.of(resolved.items ?? {}, oddness)),
    };
    const type = random.pick([resolved.type ?? "object"].flat());
    return (byType[type] ?? (() => this.#object(resolved, oddness)))();
  }

  #object(schema: JsonSchema, oddness: number): Record<string, unknown> {
    const { random } = this;
    const parts = [schema, ...(schema.allOf ?? []).map((part) => this.contract.resolve(part))];
    const required = new Set(parts.flatMap((part) => part.required ?? []));
    const entries = parts
      .flatMap((part) => Object.entries(part.properties ?? {}))
      .filter(([name]) => (required.has(name) || random.chance(30)) && !random.chance(oddness))
      .map(([name, property]): [string, unknown] => [name, this.of(property, oddness)]);
    if (random.chance(oddness)) entries.push(["unknownField", random.pick(oddValues)]);
    return Object.fromEntries(entries);
  }
}
