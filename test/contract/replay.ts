import type { Mock } from "@mgmt/mock";
import type { Contract, Operation } from "../../scripts/generate/contract/contract.js";
import { storyIds, storyTokens } from "./story.js";

/** A request with the examples of the contract, and the example of its response. */
export interface ExampleRequest {
  operation: Operation;
  /** Name of the example of the body, or `response` for an operation without a body. */
  name: string;
  path: string;
  body: unknown;
  /** The response that the contract shows for this request; undefined if it shows none. */
  response: unknown;
}

interface Examples {
  [name: string]: { value: unknown };
}

interface RawOperation {
  parameters?: { $ref?: string; name: string; in: string; example?: unknown; "x-not-with"?: string[] }[];
  requestBody?: { content: { "application/json": { examples?: Examples } } };
  responses: Record<string, { content?: { "application/json": { examples?: Examples } } }>;
}

/** Returns a request for each example of a body, with the examples of all parameters, except those that exclude another. */
export const exampleRequests = (contract: Contract): ExampleRequest[] =>
  contract.operations.flatMap((operation) => {
    // The linter checks the shape of the document.
    const raw = contract.document.paths[operation.path]?.[operation.method.toLowerCase()] as RawOperation;
    const query = new URLSearchParams();
    let path = operation.path;
    for (const reference of raw.parameters ?? []) {
      const {
        name,
        in: location,
        example,
        "x-not-with": excluded,
      } = contract.resolve(reference) as typeof reference;
      if (location === "path") path = path.replace(`{${name}}`, String(example));
      else if (example !== undefined && !excluded) query.set(name, String(example));
    }
    if (query.size > 0) path += `?${query.toString()}`;
    const responses = raw.responses[operation.success.status]?.content?.["application/json"].examples ?? {};
    const bodies = raw.requestBody?.content["application/json"].examples ?? {};
    const names = raw.requestBody ? Object.keys(bodies) : ["response"];
    return names.map((name) => ({
      operation,
      name,
      path,
      body: bodies[name]?.value,
      response: responses[name]?.value,
    }));
  });

/** Sends the request of an example to a server in the state of the story. */
export const sendExample = async (
  mock: Mock,
  { operation, path, body }: ExampleRequest,
): Promise<Response> => {
  await preparations[operation.id]?.(mock);
  const tokens = await storyTokens(mock);
  const token = operation.id === "agentApprovals.get" ? tokens.agent : tokens.user;
  const sent =
    operation.id === "projects.transfer" ? { recipientAccessToken: await mock.tokens.otherUser() } : body;
  return mock.fetch(mock.baseUrl + path, {
    method: operation.method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(sent !== undefined && { "content-type": "application/json" }),
    },
    ...(sent !== undefined && { body: JSON.stringify(sent) }),
  });
};

const removeApp = (mock: Mock): void => {
  mock.rows.deployments.delete(storyIds.deployment);
  mock.rows.apps.delete(storyIds.app);
};

/** What must be different before operations can succeed: what they create must not exist, and what they end must be able to end. */
const preparations: Readonly<Record<string, (mock: Mock) => unknown>> = {
  "projects.create": (mock) => mock.rows.projects.update(storyIds.project, { logicalId: null }),
  "projects.delete": removeApp,
  "projects.branches.create": (mock) => mock.rows.branches.delete(storyIds.branch),
  "databases.delete": (mock) => mock.seed.database(storyIds.project, { isDefault: true }),
  "apps.create": removeApp,
  "services.create": removeApp,
  "deployments.start": (mock) => mock.states.setDeploymentStatus(storyIds.deployment, "stopped"),
  "deployments.delete": (mock) => mock.states.setDeploymentStatus(storyIds.deployment, "stopped"),
};

/** Fields whose values are unguessable, or that depend on such a value. */
const unguessable = new Set(["value", "valueHint", "uploadUrl"]);

const idPattern = /\b[a-z]+_[0-9a-z]{16,24}\b/g;

/** Returns the ids in a text, and the names of database roles. */
export const idsIn = (text: string): string[] => [...new Set(text.match(idPattern))];

const kindOf = (id: string): string => id.slice(0, id.indexOf("_"));
const stemOf = (id: string): string => id.slice(id.indexOf("_") + 1);

/**
 * Returns a response with the ids, names of roles and passwords of the example in place of those that the server has just
 * generated, and both without other unguessable values. Ids that the example has too stay the same.
 */
export const comparable = (actual: unknown, example: unknown): { actual: unknown; example: unknown } => {
  const bare = (body: unknown): string =>
    JSON.stringify(body, (key, value: unknown) => (unguessable.has(key) ? typeof value : value));
  const shown = bare(example);
  const password = /"pass":"(\w+)"/.exec(bare(actual))?.[1] ?? "example";
  let text = bare(actual).replaceAll(password, "example");
  const added = idsIn(text).filter((id) => !shown.includes(id));
  const missing = idsIn(shown).filter((id) => !text.includes(id));
  for (const id of added) {
    const position = missing.findIndex((candidate) => kindOf(candidate) === kindOf(id));
    const [replacement] = position === -1 ? [] : missing.splice(position, 1);
    if (replacement === undefined) continue;
    // Domains contain ids without their prefix, or the first characters of one.
    text = text
      .replaceAll(stemOf(id), stemOf(replacement))
      .replaceAll(stemOf(id).slice(0, 12), stemOf(replacement).slice(0, 12));
  }
  return { actual: JSON.parse(text), example: JSON.parse(shown) };
};
