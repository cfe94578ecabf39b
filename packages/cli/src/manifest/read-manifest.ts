import { LineCounter, parseDocument } from "yaml";
import schema from "../../mgmt.schema.json";
import { maxLevels } from "../json/nesting.js";
import type { Context } from "../input/context.js";
import { invalidManifest, noManifest, unreadableManifest } from "../errors/manifest-errors.js";
import { managedResources } from "../contract/generated/managed-resources.js";
import { isObject } from "../json/json-path.js";
import { checkSchema, type Problem } from "../json/check-schema.js";
import { type Address, type Entry, keyOf, managedResource } from "./entry.js";
import type { ManagedResource } from "../contract/managed-resource.js";

/** The manifest of commands that are called without `--file`. */
const defaultFile = "mgmt.yaml";

/** Returns where an entry of a manifest is, or a value in it: `mgmt.yaml:3:17`. */
export type PlaceOf = (address: Address, field?: readonly string[]) => string;

export interface Manifest {
  /** Each after the one that contains it. */
  readonly entries: readonly Entry[];
  readonly placeOf: PlaceOf;
}

/**
 * Reads a manifest, which is YAML or JSON. Throws `manifest:invalid` with the line and column of every problem.
 *
 * @param file Path, or `-` for standard input. Default: `mgmt.yaml`.
 */
export const readManifest = async (
  file: string | undefined,
  { sources }: Pick<Context, "sources">,
): Promise<Manifest> => {
  const path = file ?? defaultFile;
  const text = await sources.readInFolder(path, "--file", (cause) => unreadableManifest(path, cause));
  return parseManifest(text, path === "-" ? "standard input" : path);
};

const parseManifest = (text: string, file: string): Manifest => {
  if (levelsOf(text) > maxLevels) {
    throw invalidManifest([`${file}: it is nested more than ${String(maxLevels)} levels deep`]);
  }
  const lines = new LineCounter();
  // A key is a name as it was written: YAML would take 1.10, 007 and 0x10 for other numbers.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const at = (offset: number | undefined): string => {
    if (offset === undefined) return file;
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    throw invalidManifest(
      document.errors.map(
        ({ code, message, pos: [start] }) =>
          `${at(start)}: ${code === "NON_STRING_KEY" ? "every key must be a string" : message}`,
      ),
    );
  }
  const content = contentOf(document, file);
  if (!isObject(content)) throw noManifest(file, described(content));
  const problems = checkSchema(schema, content);
  const placeAt = (path: readonly string[]): string => {
    const node: unknown = document.getIn(path, true);
    return at(isObject(node) && Array.isArray(node["range"]) ? Number(node["range"][0]) : undefined);
  };
  const placeOf: PlaceOf = (address, field = []) => placeAt([...keysOf(address), ...field]);
  const located = ({ path, message }: Problem): string =>
    `${placeAt(path)}: ${path.join(".") || "the file"} ${message}`;
  if (problems.length > 0) throw invalidManifest(problems.map(located));
  const entries = entriesIn(content, undefined, []);
  const exchanged = severalDefaults(entries, placeOf);
  if (exchanged.length > 0) throw invalidManifest(exchanged);
  return { entries, placeOf };
};

/**
 * Returns at least how many maps and lists are inside each other in YAML or JSON, by its brackets and indentation: a parser that calls
 * itself for each level cannot find out.
 */
const levelsOf = (text: string): number => {
  let [deepest, brackets] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    brackets += bracket === "[" || bracket === "{" ? 1 : brackets > 0 ? -1 : 0;
    deepest = Math.max(deepest, brackets);
  }
  const indents: number[] = [];
  for (const [, space = "", marks = ""] of text.matchAll(/^( *)((?:[-?:] +)*)\S/gm)) {
    while ((indents.at(-1) ?? -1) >= space.length) indents.pop();
    indents.push(space.length);
    // Each mark begins a list or a map inside the one before: `- - - x`.
    deepest = Math.max(deepest, indents.length + (marks.match(/[-?:]/g)?.length ?? 0));
  }
  return deepest;
};

/** Returns the keys that lead to an entry: `projects`, `shop`, `branches`, `main`. */
const keysOf = ({ resource, path }: Address): string[] => {
  const { collection, container } = managedResource(resource);
  const above = container === undefined ? [] : keysOf({ resource: container, path: path.slice(0, -1) });
  return [...above, collection, path.at(-1) ?? ""];
};

/** Returns which defaults would replace each other: a new default of a project ends the one before. */
const severalDefaults = (entries: readonly Entry[], placeOf: PlaceOf): string[] => {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries.filter(({ fields }) => fields["isDefault"] === true)) {
    const group = keyOf({ resource: entry.resource, path: entry.path.slice(0, 1) });
    groups.set(group, [...(groups.get(group) ?? []), entry]);
  }
  return [...groups.values()].flatMap(([first, ...others]) => {
    const last = others.at(-1);
    if (!first || !last) return [];
    const names = [first, ...others].map(({ path }) => path.join("/")).join(", ");
    return [
      `${placeOf(last, ["isDefault"])}: a project has one default ${first.resource}, so that only one of these can have isDefault: ${names}`,
    ];
  });
};

const described = (content: unknown): string => {
  if (content === null || content === undefined) return "is empty";
  return Array.isArray(content) ? "contains a list" : `contains only a ${typeof content}`;
};

/** Throws for aliases that expand without bound. */
const contentOf = (document: ReturnType<typeof parseDocument>, file: string): unknown => {
  try {
    return document.toJS() as unknown;
  } catch (error) {
    throw invalidManifest([`${file}: ${error instanceof Error ? error.message : String(error)}`]);
  }
};

const entriesIn = (
  holder: Readonly<Record<string, unknown>>,
  container: string | undefined,
  path: readonly string[],
): Entry[] =>
  managedResources
    .filter((resource) => resource.container === container)
    .flatMap((resource) => {
      const collection = holder[resource.collection];
      return Object.entries(isObject(collection) ? collection : {}).flatMap(([key, value]) =>
        entriesOf(resource, [...path, key], isObject(value) ? value : {}),
      );
    });

const entriesOf = (
  resource: ManagedResource,
  path: readonly string[],
  value: Readonly<Record<string, unknown>>,
): Entry[] => {
  const inputs = resource.fields.map(({ input }) => input);
  const fields = Object.fromEntries(
    Object.entries(value).filter(([name, field]) => inputs.includes(name) && field !== undefined),
  );
  const { adopt } = value;
  const entry = { resource: resource.name, path, fields, ...(typeof adopt === "string" && { adopt }) };
  return [entry, ...entriesIn(value, resource.name, path)];
};
