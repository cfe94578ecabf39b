import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import schema from "../../mgmt.schema.json";
import { inProcess, runInProcess } from "../../test/in-process.js";
import { shop, useProvisioning } from "../../test/provisioning.js";

const here = useProvisioning();
const { countRequests, mgmt, write, writesSince } = here;

describe("an invalid manifest", () => {
  it("is missing, and the hint says how to name another file, or to write one", async () => {
    for (const [flags, file] of [
      [[], "mgmt.yaml"],
      [["--file", "shop.yaml"], "shop.yaml"],
    ] as const)
      for (const command of ["plan", "apply"]) {
        const { status, errors } = await runInProcess([command, ...flags, "-o", "json"], {
          env: here.session.env,
          cwd: here.folder,
        });
        expect(status).toBe(2);
        expect(errors).toMatchObject([
          {
            error: {
              code: "usage:unreadable_file",
              message: `The manifest ${file} cannot be read (no such file)`,
              hint: expect.stringMatching(/--file.*mgmt export > mgmt\.yaml/),
              next: [["mgmt", "export"]],
            },
          },
        ]);
      }
  });

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
    ["version: 1\nprojects:\n  shop: { region: mars }", "must be one of: us-east-1"],
    ["version: 1\nprojects: { 'a b': }", "as a key must have only letters, digits"],
    ["version: 1\nprojects: { shop: { name: 1.10 } }", "mgmt.yaml:2:27: projects.shop.name must be a string"],
    ["version: 1\nprojects:\n  ~: {}", "mgmt.yaml:3:6: projects.~ as a key must have only letters, digits"],
    ["version: 1\nprojects:\n  1.10: {}\n  1.10: {}", "mgmt.yaml:4:3: Map keys must be unique"],
    ["version: 1\nprojects:\n  ? [a]\n  : {}", "mgmt.yaml:3:5: every key must be a string"],
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
      "mgmt.yaml:2:106: database a/main/b: there is no database a/main/c (manifest:invalid)",
    ],
    [
      "version: 1\nprojects: { shop: { branches: { main: { databases: {\n a: { isDefault: true },\n b: { isDefault: true } } } } } }",
      "mgmt.yaml:4:18: a project has one default database",
    ],
    [
      "version: 1\nprojects: { a: { branches: { main: { databases: { b: { source: { type: database, databaseId: { database: b } } } } } } } }",
      "mgmt.yaml:2:54: these entries refer to each other: database a/main/b",
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

  it("lists ten problems at most, because one mistake can cause one on every line after it", async () => {
    write(`- oops\n${shop}`);
    const { status, stderr } = await mgmt`plan`;
    expect(status).toBe(2);
    expect(stderr).toMatch(/^error: \d+ problems: mgmt\.yaml:2:1: /);
    expect(stderr.match(/mgmt\.yaml:\d/g)).toHaveLength(10);
    expect(stderr).toMatch(/; and \d+ more \(manifest:invalid\)/);
  });

  it.each([
    ["databases: { a: { isDefault: true }, b: { isDefault: true } }", "database", "s/main/a, s/main/b"],
    [
      "databases: { a: { isDefault: true } } }, x: { databases: { b: { isDefault: true } }",
      "database",
      "s/main/a, s/x/b",
    ],
    ["isDefault: true }, x: { isDefault: true", "branch", "s/main, s/x"],
  ])(
    "is one with two defaults in a project, which apply would exchange forever: %s",
    async (inside, kind, names) => {
      write(`version: 1\nprojects: { s: { branches: { main: { ${inside} } } } }`);
      const before = countRequests();
      expect(await mgmt`apply`).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(
          `a project has one default ${kind}, so that only one of these can have isDefault: ${names} (manifest:invalid)`,
        ),
      });
      expect(writesSince(before)).toEqual([]);
    },
  );

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
