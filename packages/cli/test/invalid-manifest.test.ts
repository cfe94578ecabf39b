import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import schema from "../mgmt.schema.json";
import { inProcess } from "./in-process.js";
import { shop, useProvisioning } from "./provisioning.js";

const here = useProvisioning();
const { countRequests, mgmt, write, writesSince } = here;

describe("an invalid manifest", () => {
  it.each([
    ["", "mgmt.yaml is not a manifest: it is empty"],
    ["# nothing yet\n", "mgmt.yaml is not a manifest: it is empty"],
    ["- version: 1", "mgmt.yaml is not a manifest: it contains a list"],
    ["shop", "mgmt.yaml is not a manifest: it contains only a string"],
    ["1", "mgmt.yaml is not a manifest: it contains only a number"],
    ["version: 2", "mgmt.yaml:1:10: version must be 1"],
    ["projects: {}", "must have version"],
    ["version: 1\nprojects:\n  shop: { nmae: Shop }", "mgmt.yaml:3:17: projects.shop.nmae is not known here"],
    ["version: 1\nprojects:\n  shop: { nmae: Shop }", "here. Did you mean name? Allowed: "],
    [
      "version: 1\nproject: {}",
      "mgmt.yaml:2:10: project is not known here. Did you mean projects? Allowed: ",
    ],
    ["version: 1\nextra: 1", "extra is not known here. Allowed: version, projects"],
    ["version: 1\nprojects:\n  shop: { region: mars }", "must be one of: us-east-1"],
    ["version: 1\nprojects: { 'a b': }", "as a key must match"],
    ["version: 1\nprojects: [shop]", "must be an object, not a list"],
    ["version: 1\nprojects:", "must be an object, but has no value"],
    ["version: 1\nprojects: { shop: { name: 5 } }", "must be a string, not a number"],
    ["version: 1\nprojects: { shop: { branches: { main: { isDefault: false } } } }", "must be true"],
    ["version: 1\nprojects: {", "mgmt.yaml:2"],
    ["version: 1\nversion: 1", "mgmt.yaml:2:1"],
    [
      "version: 1\nprojects: { a: { branches: { main: { databases: { b: { source: { type: tape } } } } } } }",
      "one of: empty, backup, database",
    ],
    [
      "version: 1\nprojects: { a: { branches: { main: { databases: { b: { source: { type: backup } } } } } } }",
      "must have databaseId",
    ],
    [
      "version: 1\nprojects: { a: { branches: { main: { databases: { b: { source: { type: database, databaseId: { database: c } } } } } } } }",
      "database a/main/b: there is no database a/main/c",
    ],
    [
      "version: 1\nprojects: { a: { branches: { main: { databases: { b: { source: { type: database, databaseId: { database: b } } } } } } } }",
      "refer to each other",
    ],
  ])("is refused with its place, and nothing is sent that changes: %j", async (content, message) => {
    write(content);
    const before = countRequests();
    for (const result of [await mgmt`plan`, await mgmt`apply`]) {
      expect(result).toMatchObject({ status: 2, stdout: "" });
      expect(result.stderr).toContain(message);
      expect(result.stderr).toContain("manifest:invalid");
    }
    expect(writesSince(before)).toEqual([]);
  });

  it("is a missing file, or aliases that expand without bound", async () => {
    expect(await mgmt`plan`).toMatchObject({ status: 2, stderr: expect.stringContaining("mgmt.yaml") });
    const levels = Array.from(
      { length: 9 },
      (_, index) => `a${index + 1}: &a${index + 1} [${Array(9).fill(`*a${index}`).join(", ")}]`,
    );
    write(["a0: &a0 [x]", ...levels].join("\n"));
    expect((await mgmt`plan`).status).toBe(2);
  });

  it("comes with a hint that says how a manifest starts", async () => {
    write("");
    const [line] = (await mgmt`plan -o json`).errors;
    expect(line).toMatchObject({
      error: { hint: expect.stringContaining("version: 1"), next: [["mgmt", "export"]] },
    });
  });

  it("can be read from standard input", async () => {
    const piped = inProcess({ env: here.session.env, stdin: "version: 1\nprojects: { shop: { nmae: } }" });
    expect((await piped`plan -f -`).stderr).toContain("standard input:2:");
  });
});

describe("mgmt.schema.json", () => {
  const validate = new Ajv2020({ strict: false }).compile(schema);

  it("accepts the example and refuses unknown fields, as mgmt plan does", () => {
    expect(validate(parse(shop))).toBe(true);
    expect(validate(parse(shop.replace("region:", "regoin:")))).toBe(false);
    expect(
      validate({
        version: 1,
        projects: { shop: { branches: { main: { databases: { d: { source: { type: "tape" } } } } } } },
      }),
    ).toBe(false);
  });
});
