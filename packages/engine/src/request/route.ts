import { findClosestName } from "@mgmt/internal/text/closest-name";
import { type OperationEntry, operations } from "../generated/operations.js";
import { errors } from "../values/errors.js";
import { toCanonicalId } from "../values/ids.js";
import type { RequestError } from "../values/request-error.js";

/** The operation that a method and a path select. */
export interface Route {
  readonly operation: OperationEntry;
  /** Path parameters, decoded; null for one that cannot be decoded. */
  readonly parameters: Readonly<Record<string, string | null>>;
}

interface RouteNode {
  readonly literals: Map<string, RouteNode>;
  parameter: RouteNode | undefined;
  readonly operations: Map<string, { operation: OperationEntry; names: readonly string[] }>;
}

const createRouteNode = (): RouteNode => ({
  literals: new Map(),
  parameter: undefined,
  operations: new Map(),
});

const isParameter = (segment: string): boolean => segment.startsWith("{");

const buildTree = (): RouteNode => {
  const root = createRouteNode();
  for (const operation of Object.values(operations)) {
    const segments = operation.path.slice(1).split("/");
    let node = root;
    for (const segment of segments) {
      if (isParameter(segment)) {
        node.parameter ??= createRouteNode();
        node = node.parameter;
      } else {
        const childNode = node.literals.get(segment) ?? createRouteNode();
        node.literals.set(segment, childNode);
        node = childNode;
      }
    }
    const names = segments.filter(isParameter).map((segment) => segment.slice(1, -1));
    node.operations.set(operation.method, { operation, names });
  }
  return root;
};

const routeTree = buildTree();

/** Literal segments take precedence over parameters. */
const findNode = (
  node: RouteNode,
  segments: readonly (string | null)[],
  segmentIndex: number,
  values: (string | null)[],
): RouteNode | undefined => {
  if (segmentIndex === segments.length) return node.operations.size > 0 ? node : undefined;
  const segment = segments[segmentIndex] ?? null;
  const literal = segment === null ? undefined : node.literals.get(segment);
  const match = literal && findNode(literal, segments, segmentIndex + 1, values);
  if (match || !node.parameter || segment === "") return match;
  values.push(segment);
  const matchBelowParameter = findNode(node.parameter, segments, segmentIndex + 1, values);
  if (!matchBelowParameter) values.pop();
  return matchBelowParameter;
};

const decodeSegment = (segment: string): string | null => {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
};

const locatePath = (path: string): { node: RouteNode; values: (string | null)[] } | undefined => {
  if (!path.startsWith("/")) return undefined;
  // Segments are decoded after the path is split, so that an encoded slash stays part of its segment.
  const values: (string | null)[] = [];
  const node = findNode(routeTree, path.slice(1).split("/").map(decodeSegment), 0, values);
  return node && { node, values };
};

/**
 * Returns the methods of a path.
 *
 * @throws RequestError 404 `route:not_found`.
 */
export const listAllowedMethods = (path: string): string[] => {
  const routeMatch = locatePath(path);
  if (!routeMatch) throw routeNotFoundError(path);
  return [...routeMatch.node.operations.keys()];
};

/** Returns the operation for a method and path (without query); undefined when there is none. */
export const findOperation = (method: string, path: string): OperationEntry | undefined =>
  locatePath(path)?.node.operations.get(method)?.operation;

/**
 * Returns the operation for a method and path (without query), with its path parameters.
 *
 * @throws RequestError 404 `route:not_found`, or 405 `route:method_not_allowed` with an `Allow` header.
 */
export const matchRoute = (method: string, path: string): Route => {
  const routeMatch = locatePath(path);
  if (!routeMatch) throw routeNotFoundError(path);
  const routedOperation = routeMatch.node.operations.get(method);
  if (!routedOperation) throw errors.methodNotAllowed(method, [...routeMatch.node.operations.keys()]);
  const parameters: Record<string, string | null> = {};
  routedOperation.names.forEach((name, index) => {
    parameters[name] = routeMatch.values[index] ?? null;
  });
  return { operation: routedOperation.operation, parameters };
};

/** Returns the ids in the path in canonical form, by the name of their parameter. They may be malformed. */
export const canonicalizePathIds = ({ operation, parameters }: Route): Record<string, string> =>
  Object.fromEntries(
    Object.entries(operation.pathResourceTypes).flatMap(([name, resourceType]) => {
      const id = parameters[name] ?? null;
      return id === null ? [] : [[name, toCanonicalId(resourceType, id)]];
    }),
  );

const routeNotFoundError = (path: string): RequestError => {
  const parameters = { path: maskPath(path).slice(0, 200) };
  const similarPath = findSimilarPath(path);
  return similarPath === undefined
    ? errors["route:not_found"](parameters)
    : errors["route:not_found/similar"]({ ...parameters, similarPath });
};

/**
 * Returns the template of the path that differs only in its slashes, its case, an empty id, a missing or repeated /v1, or typing errors
 * in its words; undefined when there is none.
 */
const findSimilarPath = (path: string): string | undefined => {
  const lowerCasePath = path.toLowerCase();
  const normalizedPath = `/${lowerCasePath.split("/").filter(Boolean).join("/")}`;
  const versionedPath = `/v1${normalizedPath.replace(/^(\/v1)+(?=\/|$)/, "")}`;
  const routeMatch =
    locatePath(lowerCasePath.replaceAll("//", "/id/")) ??
    locatePath(normalizedPath) ??
    locatePath(versionedPath) ??
    locatePath(correctTypingErrors(versionedPath));
  const [similarOperation] = routeMatch?.node.operations.values() ?? [];
  return similarOperation?.operation.path;
};

/** Matches what may be meant as a word of a path. Ids have underscores or digits, and long strings take long to compare. */
const wordPattern = /^[a-z-]{1,40}$/;

/** Replaces each word of a path that no route has in its place by the closest one that a route has. */
const correctTypingErrors = (path: string): string => {
  let node: RouteNode | undefined = routeTree;
  const segments = path
    .slice(1)
    .split("/")
    .map((segment) => {
      const words = [...(node?.literals.keys() ?? [])];
      const canBeWord = !node?.parameter && wordPattern.test(segment);
      const word = canBeWord ? (findClosestName(segment, words) ?? segment) : segment;
      node = node?.literals.get(word) ?? node?.parameter;
      return word;
    });
  return `/${segments.join("/")}`;
};

/** Returns whether the path is part of the API. */
export const isApiPath = (path: string): boolean => path === "/v1" || path.startsWith("/v1/");

/** Matches words of the API and generated ids, but neither tokens of 128 bits or more in hexadecimal nor UUIDs. */
const safeSegmentPattern = /^(?!.*[0-9a-f-]{32})[a-z0-9._-]{0,64}$/;

/** Matches short paths whose segments are all safe. */
const safePathPattern = /^(?!.*[0-9a-f-]{32})[a-z0-9._/-]{0,64}$/;

/** Returns a path for logs and messages. Segments that may be secrets, such as a token sent by mistake, become `…`. */
export const maskPath = (path: string): string =>
  safePathPattern.test(path)
    ? path
    : path
        .split("/")
        .map((segment) => (safeSegmentPattern.test(segment) ? segment : "…"))
        .join("/");
