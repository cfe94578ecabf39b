import { type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Contract,
  type JsonSchema,
  type Operation,
  loadContract,
} from "../../scripts/generate/contract.js";

/** A value for every field that the contract excludes with another; of nothing that exists, so that only a 422 can be meant. */
const values: Record<string, unknown> = {
  branchId: "br_cnosuchbranch",
  branchGitName: "feature/cart",
  logicalId: "web",
  source: { type: "empty" },
  fromDatabase: { id: "db_cnosuchdatabase" },
  gitName: "main",
  gitNameContains: "feature",
};

let contract: Contract;
let server: RunningServer;
let token: string;

beforeAll(async () => {
  contract = await loadContract();
  server = await createServer();
  token = await server.engine.tokens.user();
});
afterAll(() => server.close());

const url = ({ path }: Operation, query: Record<string, string> = {}): string => {
  const filled = path.replaceAll(/\{\w+\}/g, "cnosuchthing");
  return `${server.baseUrl}${filled}?${new URLSearchParams(query).toString()}`;
};

const send = async (operation: Operation, address: string, body?: unknown) => {
  const response = await fetch(address, {
    method: operation.method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  return { status: response.status, answer: JSON.stringify(answer) };
};

const bodies = (): { operation: Operation; schema: JsonSchema; refused: JsonSchema[] }[] =>
  contract.operations.flatMap((operation) => {
    if (operation.body === undefined) return [];
    const schema = contract.resolve(operation.body.schema);
    const refused = schema.not === undefined ? [] : (schema.not.anyOf ?? [schema.not]);
    return [{ operation, schema, refused }];
  });

/** What the body needs anyway. */
const required = (schema: JsonSchema): Record<string, unknown> =>
  Object.fromEntries(
    (schema.required ?? []).map((name) => [name, name.endsWith("Id") ? "cnosuchthing" : "x"]),
  );

const combined = (fields: string[]) => Object.fromEntries(fields.map((name) => [name, values[name]]));

describe("the combinations that the contract excludes", () => {
  it("are those of the document: a branch by id and by git name, an identity with a git name or a move, two sources (§ App rules 3, 4)", () => {
    const found = bodies()
      .filter(({ refused }) => refused.length > 0)
      .map(({ operation, refused }) => [operation.id, ...refused.map((each) => each.required?.join(" + "))]);
    const create = ["branchId + branchGitName", "logicalId + branchGitName"];
    const update = ["branchId + branchGitName", "logicalId + branchId", "logicalId + branchGitName"];
    expect(found.sort()).toEqual([
      ["apps.create", ...create],
      ["apps.update", ...update],
      ["databases.create", ...create, "source + fromDatabase"],
      ["databases.update", ...update],
      ["projects.databases.create", "source + fromDatabase"],
      ["services.create", ...create],
      ["services.update", ...update],
    ]);
    const queries = contract.operations
      .filter(({ queryParameters }) => queryParameters.some(({ notWith }) => notWith.length > 0))
      .map(({ id }) => id);
    expect(queries.sort()).toEqual([
      "apps.list",
      "databases.list",
      "projects.branches.list",
      "services.list",
    ]);
  });

  it("are each a 422 of the reference server, that names a field of them", async () => {
    for (const { operation, schema, refused } of bodies()) {
      for (const { required: fields = [] } of refused) {
        const body = { ...required(schema), ...combined(fields) };
        const { status, answer } = await send(operation, url(operation), body);
        expect({ id: operation.id, fields, status }).toEqual({ id: operation.id, fields, status: 422 });
        expect(fields.some((name) => answer.includes(`"path":"/${name}"`))).toBe(true);
        for (const name of fields) {
          const alone = { ...required(schema), ...combined([name]) };
          expect((await send(operation, url(operation), alone)).status, `${operation.id} ${name}`).not.toBe(
            422,
          );
        }
      }
    }
  });

  it("let null through just where the contract speaks of strings: null names no branch", async () => {
    for (const { operation, schema, refused } of bodies()) {
      for (const { required: fields = [], properties = {} } of refused) {
        for (const name of fields.filter((field) => field.startsWith("branch"))) {
          const { anyOf = [] } = schema.properties?.[name] ?? {};
          if (!anyOf.some(({ type }) => type === "null")) continue;
          const body = { ...required(schema), ...combined(fields), [name]: null };
          const { status } = await send(operation, url(operation), body);
          const isRefused = status === 422;
          expect({ id: operation.id, fields, name, isRefused }).toEqual({
            id: operation.id,
            fields,
            name,
            isRefused: properties[name] === undefined,
          });
        }
      }
    }
  });

  it("are a 422 of the reference server in queries too", async () => {
    for (const operation of contract.operations) {
      for (const { name, notWith } of operation.queryParameters) {
        for (const other of notWith) {
          const query = { [name]: String(values[name]), [other]: String(values[other]) };
          const { status, answer } = await send(operation, url(operation, query));
          expect({ id: operation.id, status }).toEqual({ id: operation.id, status: 422 });
          expect(answer).toContain(`"path":"query/${name}"`);
        }
      }
    }
  });

  it("leave no promote without a deployment: one of its two names is needed (§ Apps)", async () => {
    for (const id of ["apps.promote", "services.promote"]) {
      const promote = bodies().find(({ operation }) => operation.id === id);
      if (promote === undefined) throw new Error(`no operation ${id}`);
      const { operation, schema } = promote;
      expect([schema.if, schema.else]).toEqual([{ required: ["versionId"] }, { required: ["deploymentId"] }]);
      expect((await send(operation, url(operation), {})).status).toBe(422);
      for (const name of ["versionId", "deploymentId"]) {
        const body = { [name]: "dpl_cnosuchdeployment" };
        expect((await send(operation, url(operation), body)).status).toBe(404);
      }
    }
  });
});
