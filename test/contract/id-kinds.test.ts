import { beforeAll, describe, expect, it } from "vitest";
import {
  type Contract,
  type JsonSchema,
  type OpenApiDocument,
  loadContract,
  readContract,
} from "../../scripts/generate/contract/contract.js";
import { printOperations } from "../../scripts/generate/engine/operations.js";

let contract: Contract;
beforeAll(async () => {
  contract = await loadContract();
});

/** The contract with changes to one component schema. */
const changed = (name: string, change: JsonSchema): OpenApiDocument => {
  const document = structuredClone(contract.document);
  document.components.schemas[name] = { ...document.components.schemas[name], ...change };
  return document;
};

describe("the kinds of ids", () => {
  it("have the documented prefixes", () => {
    const prefixes = Object.fromEntries(contract.idKinds.map(({ kind, prefix }) => [kind, prefix]));
    expect(prefixes).toMatchObject({
      project: "proj_",
      database: "db_",
      workspace: "wksp_",
      integration: "itgr_",
      client: "itgr_",
      app: "cps_",
      branch: "br_",
      connection: "con_",
      backup: "bkp_",
      service_token: "stk_",
      deployment: "dpl_",
      user: "usr_",
      approval: "apr_",
    });
  });

  it("have a pattern with their optional prefix, except users, which no request names", () => {
    for (const { kind, prefix, pattern } of contract.idKinds) {
      const expected = kind === "user" ? undefined : `^(${prefix})?([cC][^\\s-]{8,}|[0-9a-z]+)$`;
      expect({ kind, pattern }).toEqual({ kind, pattern: expected });
    }
  });

  it.each([
    [
      "a kind with two prefixes",
      { "x-id-kind": "database", pattern: "^(proj_)?x$" },
      "Ids of the kind database have the prefixes",
    ],
    [
      "a pattern without the prefix",
      { pattern: "^(prj_)?[0-9a-z]+$" },
      "The pattern of project ids does not start with the optional prefix proj_",
    ],
  ])("are refused for %s", (_, change, message) => {
    expect(() => readContract(changed("ProjectId", change))).toThrow(message);
  });

  it("are refused for a prefix without a kind", () => {
    const document = structuredClone(contract.document);
    delete document.components.schemas["ProjectId"]?.["x-id-kind"];
    expect(() => readContract(document)).toThrow("x-id-kind and x-id-prefix must be used together");
  });

  it("are required of path parameters", () => {
    const document = structuredClone(contract.document);
    delete document.components.schemas["ProjectId"]?.["x-id-kind"];
    delete document.components.schemas["ProjectId"]?.["x-id-prefix"];
    expect(() => printOperations(readContract(document))).toThrow("projects.get: {id} has no x-id-kind");
  });
});
