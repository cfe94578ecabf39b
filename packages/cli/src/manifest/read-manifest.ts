import { LineCounter, parseDocument } from "yaml";
import schema from "../../mgmt.schema.json";
import { maxLevels } from "../json/nesting.js";
import type { Context } from "../input/context.js";
import {
  invalidManifestError,
  notAManifestError,
  unreadableManifestError,
} from "../errors/manifest-errors.js";
import { managedResources } from "../contract/generated/managed-resources.js";
import { isObject } from "../json/json-path.js";
import { findSchemaProblems, type SchemaProblem } from "../json/schema-problems.js";
import { type EntryAddress, type ManifestEntry, toAddressKey, getManagedResource } from "./entry.js";
import type { ManagedResource } from "../contract/managed-resource.js";

/** The manifest of commands that are called without `--file`. */
const defaultManifestFile = "mgmt.yaml";

/** Returns where an entry of a manifest is, or a value in it: `mgmt.yaml:3:17`. */
export type LocateEntry = (address: EntryAddress, field?: readonly string[]) => string;

/** The entries of a manifest, and the location of each in its file. */
export interface Manifest {
  /** Every entry comes after the entry that contains it. */
  readonly entries: readonly ManifestEntry[];
  readonly locateEntry: LocateEntry;
}

/**
 * Reads a manifest, which is YAML or JSON. Throws `manifest:invalid` with the line and column of every problem.
 *
 * @param file path, or `-` for standard input. Default: `mgmt.yaml`.
 */
export const readManifest = async (
  file: string | undefined,
  { sources }: Pick<Context, "sources">,
): Promise<Manifest> => {
  const path = file ?? defaultManifestFile;
  const manifestText = await sources.readInFolder(path, "--file", (cause) =>
    unreadableManifestError(path, cause),
  );
  return parseManifest(manifestText, path === "-" ? "standard input" : path);
};

const parseManifest = (manifestText: string, sourceName: string): Manifest => {
  if (estimateDepth(manifestText) > maxLevels) {
    throw invalidManifestError([`${sourceName}: it is nested more than ${String(maxLevels)} levels deep`]);
  }
  const lines = new LineCounter();
  // A key is a name as it was written: YAML would take 1.10, 007 and 0x10 for other numbers.
  const document = parseDocument(manifestText, { lineCounter: lines, prettyErrors: false, stringKeys: true });
  const formatPosition = (offset: number | undefined): string => {
    if (offset === undefined) return sourceName;
    const { line, col } = lines.linePos(offset);
    return `${sourceName}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    throw invalidManifestError(
      document.errors.map(
        ({ code, message, pos: [start] }) =>
          `${formatPosition(start)}: ${code === "NON_STRING_KEY" ? "every key must be a string" : message}`,
      ),
    );
  }
  const content = parseContent(document, sourceName);
  if (!isObject(content)) throw notAManifestError(sourceName, describeContent(content));
  const problems = findSchemaProblems(schema, content);
  const locatePath = (path: readonly string[]): string => {
    const node: unknown = document.getIn(path, true);
    return formatPosition(
      isObject(node) && Array.isArray(node["range"]) ? Number(node["range"][0]) : undefined,
    );
  };
  const locateEntry: LocateEntry = (address, field = []) =>
    locatePath([...buildDocumentPath(address), ...field]);
  const formatProblem = ({ path, message }: SchemaProblem): string =>
    `${locatePath(path)}: ${path.join(".") || "the file"} ${message}`;
  if (problems.length > 0) throw invalidManifestError(problems.map(formatProblem));
  const entries = collectEntries(content, undefined, []);
  const defaultProblems = findDefaultConflicts(entries, locateEntry);
  if (defaultProblems.length > 0) throw invalidManifestError(defaultProblems);
  return { entries, locateEntry };
};

/**
 * Returns an upper bound of how many maps and lists are inside each other in YAML or JSON, by its brackets and indentation: a parser that
 * calls itself for each level cannot find out.
 */
const estimateDepth = (manifestText: string): number => {
  let [maxDepth, bracketDepth] = [0, 0];
  for (const [bracket] of manifestText.matchAll(/[[\]{}]/g)) {
    bracketDepth += bracket === "[" || bracket === "{" ? 1 : bracketDepth > 0 ? -1 : 0;
    maxDepth = Math.max(maxDepth, bracketDepth);
  }
  const indents: number[] = [];
  for (const [, indent = "", marks = ""] of manifestText.matchAll(/^( *)((?:[-?:] +)*)\S/gm)) {
    while ((indents.at(-1) ?? -1) >= indent.length) indents.pop();
    indents.push(indent.length);
    // Each mark begins a list or a map inside the previous one: `- - - x`.
    maxDepth = Math.max(maxDepth, indents.length + (marks.match(/[-?:]/g)?.length ?? 0));
  }
  return maxDepth;
};

/** Returns the path of keys to an entry: `projects`, `shop`, `branches`, `main`. */
const buildDocumentPath = ({ resource, path }: EntryAddress): string[] => {
  const { collection, container } = getManagedResource(resource);
  const containerKeys =
    container === undefined ? [] : buildDocumentPath({ resource: container, path: path.slice(0, -1) });
  return [...containerKeys, collection, path.at(-1) ?? ""];
};

/** Returns which defaults would replace each other: a new default of a project replaces the previous one. */
const findDefaultConflicts = (entries: readonly ManifestEntry[], locateEntry: LocateEntry): string[] => {
  const groups = new Map<string, ManifestEntry[]>();
  for (const entry of entries.filter(({ fields }) => fields["isDefault"] === true)) {
    const groupKey = toAddressKey({ resource: entry.resource, path: entry.path.slice(0, 1) });
    groups.set(groupKey, [...(groups.get(groupKey) ?? []), entry]);
  }
  return [...groups.values()].flatMap(([firstEntry, ...otherEntries]) => {
    const lastEntry = otherEntries.at(-1);
    if (!firstEntry || !lastEntry) return [];
    const names = [firstEntry, ...otherEntries].map(({ path }) => path.join("/")).join(", ");
    return [
      `${locateEntry(lastEntry, ["isDefault"])}: a project has one default ${firstEntry.resource}, so that only one of these can have isDefault: ${names}`,
    ];
  });
};

const describeContent = (content: unknown): string => {
  if (content === null || content === undefined) return "is empty";
  return Array.isArray(content) ? "contains a list" : `contains only a ${typeof content}`;
};

/** Throws for aliases that expand without bound. */
const parseContent = (document: ReturnType<typeof parseDocument>, sourceName: string): unknown => {
  try {
    return document.toJS() as unknown;
  } catch (error) {
    throw invalidManifestError([`${sourceName}: ${error instanceof Error ? error.message : String(error)}`]);
  }
};

const collectEntries = (
  containerValue: Readonly<Record<string, unknown>>,
  container: string | undefined,
  path: readonly string[],
): ManifestEntry[] =>
  managedResources
    .filter((resource) => resource.container === container)
    .flatMap((resource) => {
      const collection = containerValue[resource.collection];
      return Object.entries(isObject(collection) ? collection : {}).flatMap(([key, value]) =>
        collectEntryTree(resource, [...path, key], isObject(value) ? value : {}),
      );
    });

const collectEntryTree = (
  resource: ManagedResource,
  path: readonly string[],
  value: Readonly<Record<string, unknown>>,
): ManifestEntry[] => {
  const inputs = resource.fields.map(({ input }) => input);
  const fields = Object.fromEntries(
    Object.entries(value).filter(([name, field]) => inputs.includes(name) && field !== undefined),
  );
  const { adopt } = value;
  const entry = { resource: resource.name, path, fields, ...(typeof adopt === "string" && { adopt }) };
  return [entry, ...collectEntries(value, resource.name, path)];
};
