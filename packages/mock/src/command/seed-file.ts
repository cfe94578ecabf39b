import { readFile } from "node:fs/promises";
import { type Issue, type MemoryServer, RequestError, type Snapshot, parseSnapshot } from "@mgmt/engine";
import { seedResource } from "@mgmt/engine/http";
import * as mockErrors from "../errors/mock-errors.js";

/** A resource to create: the fields of `POST /_control/seed/{kind}`, and a name for later entries. */
type SeedEntry = Readonly<Record<string, unknown>> & { readonly kind: string; readonly as?: string };

/** The initial state of a server. */
export type SeedFileContent = { readonly snapshot: Snapshot } | { readonly entries: readonly SeedEntry[] };

/**
 * Reads a seed file: a snapshot of a server, or an array of resources.
 *
 * @throws MockError `mock:bad_seed`.
 */
export const readSeedFile = async (path: string): Promise<SeedFileContent> => {
  const value = await readJsonFile(path);
  if (Array.isArray(value))
    return { entries: value.map((entry, index) => parseSeedEntry(path, entry, index)) };
  try {
    return { snapshot: parseSnapshot(value) };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw mockErrors.badSeed(path, `it is neither an array of resources nor a snapshot (${reason})`);
  }
};

const readJsonFile = async (path: string): Promise<unknown> => {
  let seedJson: string;
  try {
    seedJson = await readFile(path, "utf8");
  } catch (error) {
    throw mockErrors.badSeed(path, "it cannot be read", error);
  }
  try {
    return JSON.parse(seedJson);
  } catch (error) {
    throw mockErrors.badSeed(path, `it is not JSON (${error instanceof Error ? error.message : ""})`, error);
  }
};

const parseSeedEntry = (path: string, entry: unknown, index: number): SeedEntry => {
  const entryLabel = `entry ${String(index + 1)}`;
  if (typeof entry !== "object" || entry === null || Array.isArray(entry)) {
    throw mockErrors.badSeed(path, `${entryLabel} is not an object`);
  }
  const { kind, as, ...fields }: { kind?: unknown; as?: unknown } = entry;
  if (typeof kind !== "string")
    throw mockErrors.badSeed(path, `${entryLabel} has no kind, such as "project"`);
  if (as !== undefined && typeof as !== "string") {
    throw mockErrors.badSeed(path, `"as" of ${entryLabel} is not a string`);
  }
  return { ...fields, kind, ...(as !== undefined && { as }) };
};

/**
 * Creates the resources of a seed file. `"@shop"` in a field stands for the id of the entry whose `as` is `"shop"`.
 *
 * @throws MockError `mock:bad_seed`.
 */
export const applySeeds = async (
  engine: MemoryServer,
  path: string,
  entries: readonly SeedEntry[],
): Promise<void> => {
  const ids = new Map<string, string>();
  for (const [index, { kind, as, ...fields }] of entries.entries()) {
    const resolvedFields = Object.entries(fields).map(([name, value]): [string, unknown] => {
      if (typeof value !== "string" || !value.startsWith("@")) return [name, value];
      const id = ids.get(value.slice(1));
      if (id !== undefined) return [name, id];
      throw mockErrors.badSeed(
        path,
        `entry ${String(index + 1)} refers to ${value}, which no earlier entry names`,
      );
    });
    try {
      const createdResource = await seedResource(engine, kind, Object.fromEntries(resolvedFields));
      if (as !== undefined) ids.set(as, createdResource.id);
    } catch (error) {
      throw mockErrors.badSeed(
        path,
        `entry ${String(index + 1)} (${kind}) was refused: ${describeRejection(error)}`,
        error,
      );
    }
  }
};

/** Returns the message of an error, with the fields that were not valid. */
const describeRejection = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  const { issues } = error instanceof RequestError ? error.extra : {};
  // The validators create the issues.
  const fieldIssues = (issues as readonly Issue[] | undefined) ?? [];
  return [error.message, ...fieldIssues.map(({ path, message }) => `${path} ${message}`)].join("; ");
};
