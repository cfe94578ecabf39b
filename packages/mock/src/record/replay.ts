import type { MemoryServer } from "@mgmt/engine";
import { maskedText } from "./mask.js";
import { getErrorCode } from "./recorder.js";
import type { RecordedExchange, RecordedSeed, Recording } from "./recording.js";

/** A place where the response of the reference server differs from the recorded one. */
export interface ParityDifference {
  readonly kind: "status" | "code" | "shape";
  /** Method and path of the request. */
  readonly request: string;
  readonly recorded: string;
  readonly reference: string;
}

/** How the reference server compares with a recording, for one operation. */
export interface OperationParity {
  readonly operationId: string;
  /** Number of exchanges that were compared. */
  readonly compared: number;
  /** Requests that could not be repeated, because they contain a secret or the id of an unknown resource. */
  readonly skipped: readonly string[];
  readonly differences: readonly ParityDifference[];
}

/** Creates the resources of a recording in a server, repeats its requests, and compares the responses. */
export const replayExchanges = async (
  engine: MemoryServer,
  recording: Recording,
): Promise<OperationParity[]> => {
  const ids = new Map<string, string>();
  for (const seed of recording.seeds) await seedRecordedResource(engine, seed, ids);
  const token = await engine.tokens.user();
  const parityByOperation = new Map<
    string,
    { compared: number; skipped: string[]; differences: ParityDifference[] }
  >();
  for (const exchange of recording.exchanges) {
    const parity = parityByOperation.get(exchange.operationId) ?? {
      compared: 0,
      skipped: [],
      differences: [],
    };
    parityByOperation.set(exchange.operationId, parity);
    const request = `${exchange.method} ${exchange.path}`;
    const translatedRequest = translateIds({ path: exchange.path, body: exchange.body }, ids);
    if (JSON.stringify(translatedRequest).includes(maskedText) || translatedRequest.path.includes("…")) {
      parity.skipped.push(request);
      continue;
    }
    const hasBody = exchange.body !== null && exchange.body !== undefined;
    const response = await engine.handle({
      method: exchange.method,
      path: translatedRequest.path,
      headers: {
        ...(exchange.authorized && {
          authorization: `Bearer ${exchange.status === 401 ? "invalid" : token}`,
        }),
        ...(hasBody && { "content-type": "application/json" }),
      },
      ...(hasBody && { body: JSON.stringify(translatedRequest.body) }),
    });
    const body: unknown = response.body === undefined ? null : JSON.parse(response.body);
    collectIds(exchange, body, ids);
    parity.compared += 1;
    parity.differences.push(...compareResponses(request, exchange, response.status, body));
  }
  return [...parityByOperation].map(([operationId, parity]) => ({ operationId, ...parity }));
};

/**
 * Creates a resource, and maps its recorded id to the new one. The first workspace is the one that exists from the start. Leaves out
 * a resource whose parent is unknown.
 */
const seedRecordedResource = async (
  { seed, rows, defaults }: MemoryServer,
  { kind, id, resource }: RecordedSeed,
  ids: Map<string, string>,
): Promise<void> => {
  const name = typeof resource["name"] === "string" ? { name: resource["name"] } : {};
  const projectId = ids.get(getParentId(resource, "project"));
  const databaseId = ids.get(getParentId(resource, "database"));
  const isDefault = resource["isDefault"] === true;
  if (kind === "workspace") {
    const isFirst = ![...ids.values()].includes(defaults.workspace.id);
    const ownerId = defaults.user.id;
    ids.set(id, isFirst ? defaults.workspace.id : (await seed.workspace({ ...name, ownerId })).id);
  }
  if (kind === "project") ids.set(id, (await seed.project({ ...name, createDatabase: false })).id);
  if (kind === "database" && projectId !== undefined) {
    ids.set(id, (await seed.database(projectId, { ...name, isDefault })).id);
  }
  if (kind === "connection" && databaseId !== undefined) {
    ids.set(id, (await seed.connection(databaseId, name)).id);
  }
  if (kind === "branch" && projectId !== undefined) {
    const existingBranch = isDefault ? rows.branches.find({ projectId }) : undefined;
    const gitName = resource["gitName"];
    const createdBranch =
      existingBranch ?? (await seed.branch(projectId, typeof gitName === "string" ? { gitName } : {}));
    ids.set(id, createdBranch.id);
  }
};

const getParentId = (resource: Readonly<Record<string, unknown>>, kind: string): string => {
  const parent = resource[kind];
  return typeof parent === "object" && parent !== null && "id" in parent ? String(parent.id) : "";
};

/** Replaces recorded ids with the ids of this server. */
const translateIds = <T>(value: T, ids: ReadonlyMap<string, string>): T =>
  JSON.parse(JSON.stringify(value), (_, part: unknown) =>
    typeof part === "string" ? part.replaceAll(/[\w-]+/g, (word) => ids.get(word) ?? word) : part,
  );

/** Maps the ids of resources that both servers have created. */
const collectIds = (
  { method, response }: RecordedExchange,
  reference: unknown,
  ids: Map<string, string>,
): void => {
  if (method !== "POST") return;
  const visit = (recorded: unknown, mockValue: unknown): void => {
    if (
      typeof recorded !== "object" ||
      typeof mockValue !== "object" ||
      recorded === null ||
      mockValue === null
    )
      return;
    const mockFields = new Map(Object.entries(mockValue));
    for (const [name, value] of Object.entries(recorded)) {
      const mockFieldValue: unknown = mockFields.get(name);
      if (name !== "id") visit(value, mockFieldValue);
      else if (typeof value === "string" && typeof mockFieldValue === "string" && !ids.has(value)) {
        ids.set(value, mockFieldValue);
      }
    }
  };
  visit(response, reference);
};

const compareResponses = (
  request: string,
  exchange: RecordedExchange,
  status: number,
  body: unknown,
): ParityDifference[] => {
  const code = getErrorCode(body);
  if (status !== exchange.status) {
    return [{ kind: "status", request, recorded: String(exchange.status), reference: String(status) }];
  }
  if (code !== exchange.code) {
    return [{ kind: "code", request, recorded: String(exchange.code), reference: String(code) }];
  }
  const [recorded, reference] = [describeShape(exchange.response), describeShape(body)];
  const paths = [...new Set([...recorded.keys(), ...reference.keys()])];
  return paths.flatMap((path): ParityDifference[] => {
    const [recordedType, referenceType] = [recorded.get(path), reference.get(path)];
    // A nullable field may be null in one of them, and the fields below it are then absent.
    if (recordedType === referenceType || recordedType === "null" || referenceType === "null") return [];
    if (recordedType?.endsWith("list") && referenceType?.endsWith("list")) return [];
    if (recordedType === undefined && isBelowEmpty(path, recorded)) return [];
    if (referenceType === undefined && isBelowEmpty(path, reference)) return [];
    return [
      {
        kind: "shape",
        request,
        recorded: `${path}: ${recordedType ?? "absent"}`,
        reference: `${path}: ${referenceType ?? "absent"}`,
      },
    ];
  });
};

/** Returns whether a path is inside a value that is null or an empty list. */
const isBelowEmpty = (path: string, shape: ReadonlyMap<string, string>): boolean =>
  [...shape].some(
    ([parentPath, type]) => (type === "null" || type === "empty list") && path.startsWith(`${parentPath}/`),
  );

/** Returns the type of every path of a JSON value. Items of a list share the path `*`. */
const describeShape = (value: unknown): Map<string, string> => {
  const shape = new Map<string, string>();
  const visit = (part: unknown, path: string): void => {
    if (Array.isArray(part)) {
      shape.set(path, part.length === 0 ? "empty list" : "list");
      for (const element of part) visit(element, `${path}/*`);
    } else if (typeof part === "object" && part !== null) {
      shape.set(path, "object");
      for (const [name, element] of Object.entries(part)) visit(element, `${path}/${name}`);
    } else if (part !== null || !shape.has(path)) shape.set(path, part === null ? "null" : typeof part);
  };
  visit(value, "");
  return shape;
};
