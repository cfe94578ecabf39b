import { ambiguousTarget, unknownTarget } from "../errors/manifest-errors.js";
import { similar } from "../text/suggest.js";
import { type Address, ancestorOf, type Entry, keyOf, managedResource, nameOf } from "./entry.js";
import { referencesIn } from "./references.js";
import type { State } from "./read-state.js";

/** The part of a manifest that `--target` selects. */
export interface Targeted {
  /** The entries that are selected, and those that they depend on, in the order of the manifest. */
  readonly entries: readonly Entry[];
  /** Whether a resource is selected itself, as one that is in the service only may be. */
  readonly includes: (address: Address) => boolean;
}

/**
 * Selects entries by their names: `shop/main/reports`, or `database shop/main/reports` where several kinds have the name. The entries
 * inside a selected entry are selected too.
 *
 * @throws `target:not_found` or `target:ambiguous`.
 */
export const selectTargets = (
  desired: readonly Entry[],
  state: Pick<State, "entries">,
  targets: readonly string[],
): Targeted => {
  const known = new Map<string, Address>(
    [...state.entries, ...desired].map((entry) => [keyOf(entry), entry]),
  );
  const chosen = targets.map((target) => chosenBy(target, [...known.values()]));
  const includes = (address: Address): boolean => chosen.some((target) => isIn(address, target));
  const entries = new Map(desired.map((entry) => [keyOf(entry), entry]));
  const needed = new Set<string>();
  const add = (address: Address): void => {
    const key = keyOf(address);
    const entry = entries.get(key);
    if (needed.has(key) || !entry) return;
    needed.add(key);
    for (const dependency of dependenciesOf(entry)) add(dependency);
  };
  desired.filter(includes).forEach(add);
  return { entries: desired.filter((entry) => needed.has(keyOf(entry))), includes };
};

const chosenBy = (target: string, known: readonly Address[]): Address => {
  const matches = known.filter((address) => nameOf(address) === target || address.path.join("/") === target);
  const [only, ...others] = matches;
  if (only === undefined)
    throw unknownTarget(
      target,
      similar(
        target,
        known.map((address) => address.path.join("/")),
      ),
    );
  if (others.length > 0) throw ambiguousTarget(target, matches.map(nameOf));
  return only;
};

const isIn = (address: Address, target: Address): boolean =>
  kindsAbove(address).includes(target.resource) &&
  target.path.every((key, index) => address.path[index] === key);

/** Returns the kind of an address and those of its containers. */
const kindsAbove = ({ resource }: Address): string[] => {
  const { container } = managedResource(resource);
  return container === undefined ? [resource] : [resource, ...kindsAbove({ resource: container, path: [] })];
};

/** Returns the containers of an entry, and the entries that it refers to. */
const dependenciesOf = (entry: Entry): Address[] => {
  const { container } = managedResource(entry.resource);
  return [
    ...(container === undefined ? [] : [ancestorOf(entry, container)]),
    ...referencesIn(entry.fields, entry),
  ];
};
