import { LineCounter, parseDocument } from "yaml";
import schema from "../../mgmt.schema.json";
import { invalidManifest, noManifest } from "../errors/manifest-errors.js";
import { managedResources } from "../generated/managed-resources.js";
import { isObject } from "../json-path.js";
import { checkSchema, type Problem } from "./check-schema.js";
import type { Entry } from "./entry.js";
import type { ManagedResource } from "./managed-resource.js";

/**
 * Parses a manifest, which is YAML or JSON. Returns its entries, each after the one that contains it. Throws
 * `manifest:invalid` with the line and column of every problem.
 */
export const readManifest = (text: string, file: string): Entry[] => {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number | undefined): string => {
    if (offset === undefined) return file;
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    throw invalidManifest(document.errors.map(({ message, pos: [start] }) => `${at(start)}: ${message}`));
  }
  const content = contentOf(document, file);
  if (!isObject(content)) throw noManifest(file, described(content));
  const problems = checkSchema(schema, content);
  const located = ({ path, message }: Problem): string => {
    const node: unknown = document.getIn(path, true);
    const offset = isObject(node) && Array.isArray(node["range"]) ? Number(node["range"][0]) : undefined;
    return `${at(offset)}: ${path.join(".") || "the file"} ${message}`;
  };
  if (problems.length > 0) throw invalidManifest(problems.map(located));
  return entriesIn(content, undefined, []);
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
  return [{ resource: resource.name, path, fields }, ...entriesIn(value, resource.name, path)];
};
