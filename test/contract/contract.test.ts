import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormatsModule from "ajv-formats";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type Contract,
  type JsonSchema,
  type Operation,
  loadContract,
} from "../../scripts/generate/contract/contract.js";
import { lintContract } from "../../scripts/generate/contract/lint.js";
import { documentedOperations } from "./operations.js";

// ajv-formats is a CommonJS module whose default export is typed as a namespace.
const addFormats = addFormatsModule as unknown as (ajv: Ajv2020) => void;

let contract: Contract;
const rawOperations = (): { id: string; raw: Record<string, unknown> }[] =>
  Object.values(contract.document.paths).flatMap((item) =>
    Object.values(item).map((raw) => {
      // The linter checks that these are operations.
      const operation = raw as Record<string, unknown>;
      return { id: String(operation["operationId"]), raw: operation };
    }),
  );
const operation = (id: string): Operation => {
  const found = contract.operations.find((candidate) => candidate.id === id);
  if (!found) throw new Error(`no operation ${id}`);
  return found;
};

beforeAll(async () => {
  contract = await loadContract();
});

describe("the contract", () => {
  it("lets no agent destroy, move, or replace a resource without an approval, and none create what outlives it", () => {
    const idsWith = (approval: Operation["agentApproval"]): string[] =>
      contract.operations.filter(({ agentApproval }) => agentApproval === approval).map(({ id }) => id);
    const ids = contract.operations.map(({ id }) => id);
    expect(idsWith("required")).toEqual(ids.filter((id) => /\.(?:delete|restore|transfer|rotate)$/.test(id)));
    expect(idsWith("never").sort()).toEqual(["workspaces.create", "workspaces.serviceTokens.create"]);
    const changes = contract.operations.filter(({ approvalFields }) => approvalFields.length > 0);
    expect(changes.map(({ id }) => id).sort()).toEqual([
      "apps.update",
      "databases.update",
      "services.update",
    ]);
  });

  it("passes the linter", async () => {
    expect(await lintContract()).toEqual([]);
  });

  it("has every documented operation exactly once, and marks all others as extended", () => {
    const documented = contract.operations
      .filter(({ origin }) => origin === "documented")
      .map(({ id, method, path }) => ({ operationId: id, method, path }));
    const byName = (a: { operationId: string }, b: { operationId: string }) =>
      a.operationId.localeCompare(b.operationId);
    const known = documentedOperations.map(({ statuses, ...row }) => row);
    expect(documented.sort(byName)).toEqual(known.sort(byName));
    expect(new Set(contract.operations.map(({ origin }) => origin))).toEqual(
      new Set(["documented", "extended"]),
    );
    expect(new Set(contract.operations.map(({ id }) => id)).size).toBe(contract.operations.length);
  });

  it("lists the required statuses of each documented operation", () => {
    for (const { operationId, statuses } of documentedOperations) {
      const { success, errors } = operation(operationId);
      const listed = [success.status, ...errors.map(({ status }) => status)];
      expect({ operationId, listed }).toEqual({ operationId, listed: expect.arrayContaining(statuses) });
    }
  });

  it("uses 403 for resources of another workspace if the documented operation lists 403, otherwise 404", () => {
    for (const { operationId, statuses } of documentedOperations) {
      if (!statuses.includes(404)) continue;
      const expected = statuses.includes(403) ? 403 : 404;
      expect({ operationId, status: operation(operationId).foreignStatus }).toEqual({
        operationId,
        status: expected,
      });
    }
  });

  it("groups the operations by the documented tags, which come before others", () => {
    const tags = contract.document.tags.map(({ name }) => name);
    expect(tags.slice(0, 13)).toEqual([
      "Projects",
      "Databases",
      "Databases Connections",
      "Database Backups",
      "Database Usage",
      "Connections",
      "Integrations",
      "Service Tokens",
      "Workspaces",
      "Regions",
      "Misc",
      "[Experimental]",
      "Agents",
    ]);
    expect(new Set(contract.operations.map(({ tag }) => tag))).toEqual(new Set(tags));
  });

  it("lists both security alternatives for each operation", () => {
    for (const { id, raw } of rawOperations()) {
      expect({ id, security: raw["security"] }).toEqual({
        id,
        security: [{ oauth2: ["workspace:admin"] }, { bearer: [] }],
      });
    }
  });

  it("has a summary of its own for each operation, by which tools such as Postman name it", () => {
    const summaries = rawOperations().map(({ raw }) => raw["summary"]);
    expect(summaries.filter((summary, index) => summaries.indexOf(summary) !== index)).toEqual([]);
  });

  it("deprecates the app operations in favor of the service operations", () => {
    for (const verb of ["list", "create", "get", "update", "delete", "promote"]) {
      expect(operation(`apps.${verb}`)).toMatchObject({ deprecated: true, replacedBy: `services.${verb}` });
      expect(operation(`services.${verb}`).deprecated).toBe(false);
    }
  });

  it("lists only codes with the right status for each error response", () => {
    const statusOf = new Map(contract.errorCodes.map(({ code, status }) => [code, status]));
    for (const { id, errors } of contract.operations) {
      for (const { status, codes } of errors) {
        expect(codes.length, `${id} ${status} names no code`).toBeGreaterThan(0);
        for (const code of codes) expect(statusOf.get(code), `${id} ${status} ${code}`).toBe(status);
      }
    }
  });

  it("uses each code in an operation, except those of requests that reach none", () => {
    const answered = new Set(
      contract.operations.flatMap(({ errors }) => errors.flatMap(({ codes }) => codes)),
    );
    const unanswered = contract.errorCodes.map(({ code }) => code).filter((code) => !answered.has(code));
    expect(unanswered.sort()).toEqual([
      "request:headers_too_large",
      "request:incomplete",
      "route:method_not_allowed",
      "route:not_found",
    ]);
  });

  it("refuses unknown body fields", () => {
    for (const { id, body } of contract.operations) {
      if (body) expect(contract.resolve(body.schema).additionalProperties, id).toBe(false);
    }
  });

  it("has no two schemas of the same shape", () => {
    const shape = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(shape);
      if (typeof value !== "object" || value === null) return value;
      return Object.fromEntries(
        Object.entries(value)
          .filter(([key]) => key !== "description" && key !== "examples")
          .sort(([a], [b]) => a.localeCompare(b))
          .map(([key, inner]) => [key, shape(inner)]),
      );
    };
    // Bodies are named after their operation, so two can have the same shape.
    const bodies = new Set(contract.operations.map(({ body }) => body?.schema.$ref?.split("/").at(-1)));
    const names = new Map<string, string>();
    for (const [name, schema] of Object.entries(contract.schemas)) {
      if (schema.type !== "object" && !schema.allOf) continue;
      if (bodies.has(name)) continue;
      const print = JSON.stringify(shape(schema));
      expect(names.get(print), `${name} repeats a shape`).toBeUndefined();
      names.set(print, name);
    }
  });

  it("declares each property of a combined schema once, because generators intersect the declarations", () => {
    const propertiesOf = (schema: JsonSchema): string[] => {
      const { allOf = [], properties = {} } = contract.resolve(schema);
      return [...Object.keys(properties), ...allOf.flatMap(propertiesOf)];
    };
    for (const [name, schema] of Object.entries(contract.schemas)) {
      const properties = propertiesOf(schema);
      const repeated = properties.filter((property, index) => properties.indexOf(property) !== index);
      expect(repeated, name).toEqual([]);
    }
  });

  it("names every object schema in a response", () => {
    const inline = (schema: JsonSchema): boolean =>
      schema.properties !== undefined || (schema.items !== undefined && inline(schema.items));
    for (const { id, success } of contract.operations) {
      if (success.schema) expect(inline(success.schema), id).toBe(false);
      if (success.item) expect(inline(success.item), id).toBe(false);
    }
  });

  it("has valid examples for each request body, response and error", () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(ajv);
    ajv.addSchema({ $id: "contract", components: contract.document.components });
    const validators = new Map<string, ValidateFunction>();
    const compile = (schema: JsonSchema): ValidateFunction => {
      const text = JSON.stringify(schema).replaceAll('"#/components', '"contract#/components');
      const validator = validators.get(text) ?? ajv.compile(JSON.parse(text) as object);
      validators.set(text, validator);
      return validator;
    };
    const check = (schema: JsonSchema, example: unknown, where: string) => {
      const validate = compile(schema);
      expect(validate(example), `${where}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    };
    let seen = 0;
    for (const { id, raw } of rawOperations()) {
      const contents = [
        [raw["requestBody"], "body"] as const,
        ...Object.entries(raw["responses"] as Record<string, unknown>).map(
          ([status, answer]) => [answer, status] as const,
        ),
      ];
      for (const [holder, where] of contents) {
        if (holder === undefined) continue;
        const { content } = contract.resolve(holder as JsonSchema) as {
          content?: {
            "application/json": { schema: JsonSchema; examples?: Record<string, { value: unknown }> };
          };
        };
        if (!content) continue;
        const { schema, examples = {} } = content["application/json"];
        expect(Object.keys(examples).length, `${id} ${where} has no example`).toBeGreaterThan(0);
        for (const { value } of Object.values(examples)) {
          check(schema, value, `${id} ${where}`);
          seen += 1;
        }
      }
    }
    expect(seen).toBeGreaterThan(400);
  });

  it("marks every field that contains a secret", () => {
    const secret = /^(connectionString|pass|value|recipientAccessToken|uploadUrl)$/;
    for (const [name, schema] of Object.entries(contract.schemas)) {
      const members = [schema, ...(schema.allOf ?? [])].flatMap(({ properties = {} }) =>
        Object.entries(properties),
      );
      for (const [field, inner] of members) {
        if (secret.test(field)) expect(inner["x-secret"], `${name}.${field}`).toBe(true);
      }
    }
  });
});
