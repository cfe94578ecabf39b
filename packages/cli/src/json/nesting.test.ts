import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startCannedServer } from "../../test/canned-server.js";
import { temporaryFolder } from "../../test/folders.js";
import { runInProcess } from "../../test/in-process.js";
import type { Result } from "../../test/result.js";

/** Far more than the stack has room for. */
const levels = 20_000;
const forms = {
  lists: "[".repeat(levels) + "]".repeat(levels),
  objects: `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`,
};

const root = temporaryFolder();
let folder: string;
let body = "";
let status = 200;
let service: Awaited<ReturnType<typeof startCannedServer>>;
beforeAll(async () => {
  service = await startCannedServer(() => ({ status, body }));
});
afterAll(() => service.close());
beforeEach(() => {
  folder = mkdtempSync(join(root, "deep-"));
  status = 200;
});

const mgmt = (line: string, stdin = ""): Promise<Result> =>
  runInProcess(line.split(" "), { cwd: folder, env: service.env, stdin });
const project = (settings: string): string =>
  `{"id":"proj_1","type":"project","name":"shop","settings":${settings}}`;

describe.each(Object.entries(forms))("data with %s that are nested too deeply", (_, deep) => {
  it.each(["json", "yaml", "table", "csv", "ndjson", "env", "name"])("in a response: %s", async (format) => {
    for (const line of ["projects get proj_1", "api /v1/projects/proj_1", "projects list"]) {
      const isList = line.endsWith("list");
      if (isList && format === "env") continue;
      body = isList
        ? `{"data":[${project(deep)}],"pagination":{"hasMore":false,"nextCursor":null}}`
        : `{"data":${project(deep)}}`;
      const result = await mgmt(`${line} -o ${format}`);
      expect([line, result.status, result.stdout]).toEqual([line, 1, ""]);
      expect(result.stderr).toContain("data:too_deep");
    }
  });

  it("in an error, whose other fields are printed", async () => {
    status = 409;
    body = `{"error":{"code":"app:already_exists","message":"It exists","existingAppId":${deep}}}`;
    const text = await mgmt("services get cps_1");
    expect([text.status, text.stderr]).toEqual([
      7,
      expect.stringContaining("It exists (app:already_exists)"),
    ]);
    const json = await mgmt("services get cps_1 -o json");
    expect(json.errors).toMatchObject([{ error: { code: "app:already_exists" } }]);
  });

  it.each([
    ["projects update proj_1 --settings @deep.json", "--settings is nested more than 100 levels deep"],
    ["api PATCH /v1/projects/proj_1 --input deep.json", "--input is nested more than 100 levels deep"],
    ["projects delete - --yes", "Line 1 is nested more than 100 levels deep"],
    ["apply deep.json", "it has more than 100 levels"],
    ["plan -f deep.json", "deep.json: it is nested more than 100 levels deep"],
  ])("in the input of mgmt %s", async (line, message) => {
    writeFileSync(join(folder, "deep.json"), deep);
    const { status: code, stderr } = await mgmt(line, `{"id":"proj_1","x":${deep}}`);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe("a manifest", () => {
  it.each([
    ["lists in one line", `projects: ${"- ".repeat(levels)}x`],
    ["lists on lines of their own", `${"- ".repeat(levels)}x\n`],
    ["maps", Array.from({ length: 500 }, (_, index) => `${" ".repeat(index)}a:`).join("\n")],
    ["open brackets", "[".repeat(levels)],
  ])("of YAML with %s is not read to the end", async (_, text) => {
    writeFileSync(join(folder, "mgmt.yaml"), text);
    const { status: code, stderr } = await mgmt("plan");
    expect([code, stderr]).toEqual([2, expect.stringContaining("manifest:invalid")]);
    expect(stderr).not.toContain("call stack");
  });

  it("may have many entries", async () => {
    const branches = Array.from({ length: 500 }, (_, index) => `      b${String(index)}: {}`).join("\n");
    writeFileSync(join(folder, "mgmt.yaml"), `version: 1\nprojects:\n  shop:\n    branches:\n${branches}\n`);
    expect((await mgmt("plan")).stderr).not.toContain("nested");
  });
});
