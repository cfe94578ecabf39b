import { type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Contract,
  type JsonSchema,
  type Operation,
  loadContract,
} from "../../scripts/generate/contract/contract.js";

/** A value for each field that excludes another. The ids do not exist, so a valid request fails with 404. */
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

/** Values of the required fields. */
const required = (schema: JsonSchema): Record<string, unknown> =>
  Object.fromEntries(
    (schema.required ?? []).map((name) => [name, name.endsWith("Id") ? "cnosuchthing" : "x"]),
  );

const combined = (fields: string[]) => Object.fromEntries(fields.map((name) => [name, values[name]]));

describe("field combinations that the contract excludes", () => {
  it("are a branch id with a git name, a logicalId with a git name or a move, and two sources", () => {
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

  it("are refused by the reference server with a 422 that names one of the fields", async () => {
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

  it("allow null where the contract excludes only strings", async () => {
    for (const { operation, schema, refused } of bodies()) {
      for (const { required: fields = [], properties = {} } of refused) {
        for (const name of fields.filter((field) => field.startsWith("branch"))) {
          const { anyOf = [] } = schema.properties?.[name] ?? {};
          if (!anyOf.some(({ type }) => type === "null")) continue;
          const body = { ...required(schema), ...combined(fields), [name]: null };
          const { status } = await send(operation, url(operation), body);
          const isRejected = status === 422;
          expect({ id: operation.id, fields, name, isRejected }).toEqual({
            id: operation.id,
            fields,
            name,
            isRejected: properties[name] === undefined,
          });
        }
      }
    }
  });

  it("are described by each of the fields", () => {
    const describedIn = (text: string | undefined, other: string): boolean =>
      new RegExp(`Cannot be combined with [^.]*\`${other}\``).test((text ?? "").replaceAll(/\s+/g, " "));
    for (const { operation, schema, refused } of bodies()) {
      for (const { required: fields = [] } of refused) {
        for (const name of fields) {
          const [other = ""] = fields.filter((each) => each !== name);
          const { description } = schema.properties?.[name] ?? {};
          expect(describedIn(description, other), `${operation.id} ${name}: ${String(description)}`).toBe(
            true,
          );
        }
      }
    }
    for (const { id, queryParameters } of contract.operations) {
      for (const { name, notWith } of queryParameters) {
        for (const other of notWith) {
          const both = queryParameters.filter((each) => each.name === name || each.name === other);
          for (const parameter of both) {
            const excluded = parameter.name === name ? other : name;
            expect(describedIn(parameter.description, excluded), `${id} ${parameter.name}`).toBe(true);
          }
        }
      }
    }
  });

  it("are refused by the reference server in queries", async () => {
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

  it("require one of the two names of the deployment to promote", async () => {
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
