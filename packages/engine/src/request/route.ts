import { type OperationEntry, operations } from "../generated/operations.js";
import { errors } from "../values/errors.js";
import { canonicalId } from "../values/ids.js";
import type { RequestError } from "../values/request-error.js";

export interface Route {
  readonly operation: OperationEntry;
  /** Path parameters, decoded; null for one that cannot be decoded. */
  readonly parameters: Readonly<Record<string, string | null>>;
}

interface Node {
  readonly literals: Map<string, Node>;
  parameter: Node | undefined;
  readonly operations: Map<string, { operation: OperationEntry; names: readonly string[] }>;
}

const newNode = (): Node => ({ literals: new Map(), parameter: undefined, operations: new Map() });

const isParameter = (segment: string): boolean => segment.startsWith("{");

const buildTree = (): Node => {
  const root = newNode();
  for (const operation of Object.values(operations)) {
    const segments = operation.path.slice(1).split("/");
    let node = root;
    for (const segment of segments) {
      if (isParameter(segment)) {
        node.parameter ??= newNode();
        node = node.parameter;
      } else {
        const next = node.literals.get(segment) ?? newNode();
        node.literals.set(segment, next);
        node = next;
      }
    }
    const names = segments.filter(isParameter).map((segment) => segment.slice(1, -1));
    node.operations.set(operation.method, { operation, names });
  }
  return root;
};

const tree = buildTree();

/** Literal segments take precedence over parameters. */
const find = (
  node: Node,
  segments: readonly (string | null)[],
  index: number,
  values: (string | null)[],
): Node | undefined => {
  if (index === segments.length) return node.operations.size > 0 ? node : undefined;
  const segment = segments[index] ?? null;
  const literal = segment === null ? undefined : node.literals.get(segment);
  const match = literal && find(literal, segments, index + 1, values);
  if (match || !node.parameter || segment === "") return match;
  values.push(segment);
  const below = find(node.parameter, segments, index + 1, values);
  if (!below) values.pop();
  return below;
};

const decode = (segment: string): string | null => {
  if (!segment.includes("%")) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
};

const locate = (path: string): { node: Node; values: (string | null)[] } | undefined => {
  if (!path.startsWith("/")) return undefined;
  // Segments are decoded after the path is split, so that an encoded slash stays part of its segment.
  const values: (string | null)[] = [];
  const node = find(tree, path.slice(1).split("/").map(decode), 0, values);
  return node && { node, values };
};

/**
 * Returns the methods of a path.
 *
 * @throws RequestError 404 `route:not_found`.
 */
export const methodsOf = (path: string): string[] => {
  const located = locate(path);
  if (!located) throw notFound(path);
  return [...located.node.operations.keys()];
};

/** Returns the operation for a method and path (without query); undefined when there is none. */
export const operationAt = (method: string, path: string): OperationEntry | undefined =>
  locate(path)?.node.operations.get(method)?.operation;

/**
 * Returns the operation for a method and path (without query), with its path parameters.
 *
 * @throws RequestError 404 `route:not_found`, or 405 `route:method_not_allowed` with an `Allow` header.
 */
export const route = (method: string, path: string): Route => {
  const located = locate(path);
  if (!located) throw notFound(path);
  const target = located.node.operations.get(method);
  if (!target) throw errors.methodNotAllowed(method, [...located.node.operations.keys()]);
  const parameters: Record<string, string | null> = {};
  target.names.forEach((name, index) => {
    parameters[name] = located.values[index] ?? null;
  });
  return { operation: target.operation, parameters };
};

/** Returns the ids in the path in canonical form, by the name of their parameter. They may be malformed. */
export const idsOf = ({ operation, parameters }: Route): Record<string, string> =>
  Object.fromEntries(
    Object.entries(operation.pathKinds).flatMap(([name, kind]) => {
      const id = parameters[name] ?? null;
      return id === null ? [] : [[name, canonicalId(kind, id)]];
    }),
  );

const notFound = (path: string): RequestError => errors.routeNotFound(shownPath(path), similarPath(path));

/**
 * Returns the template of the path that differs only in its slashes, its case, an empty id, or a missing /v1; undefined
 * when there is none.
 */
const similarPath = (path: string): string | undefined => {
  const lower = path.toLowerCase();
  const tidy = `/${lower.split("/").filter(Boolean).join("/")}`;
  const located = locate(lower.replaceAll("//", "/id/")) ?? locate(tidy) ?? locate(`/v1${tidy}`);
  const [similar] = located?.node.operations.values() ?? [];
  return similar?.operation.path;
};

/** Returns whether the path is part of the API. */
export const isApiPath = (path: string): boolean => path === "/v1" || path.startsWith("/v1/");

/** Matches words of the API and generated ids. */
const safeSegment = /^[a-z0-9._-]{0,64}$/;

/** Matches short paths whose segments are all safe. */
const safePath = /^[a-z0-9._/-]{0,64}$/;

/** Returns a path for logs and messages. Segments that may be secrets, such as a token sent by mistake, become `…`. */
export const shownPath = (path: string): string =>
  safePath.test(path)
    ? path
    : path
        .split("/")
        .map((segment) => (safeSegment.test(segment) ? segment : "…"))
        .join("/");
