import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/folders.js";
import { AuditFile, type AuditLimits } from "./audit-file.js";
import { Redactor } from "./redactor.js";

const root = temporaryFolder();
let folder: string;
let path: string;
let count = 0;
const opened: AuditFile[] = [];

beforeEach(() => {
  count += 1;
  folder = join(root, String(count));
  path = join(folder, "mcp-audit.jsonl");
  mkdirSync(folder);
});
afterEach(async () => {
  for (const file of opened.splice(0)) await file.close();
});

const openFile = async (limits?: AuditLimits): Promise<AuditFile> => {
  const file = await AuditFile.open(path, new Redactor(), limits);
  opened.push(file);
  return file;
};

const entry = (tool: string) => ({
  client: null,
  tool,
  operation: null,
  ids: {},
  approvalId: null,
  requestId: null,
  outcome: "ok",
});

const toolsIn = (name: string): string[] =>
  readFileSync(join(folder, name), "utf8")
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { tool: string }).tool);

describe("the audit file", () => {
  it("is for its owner only, also if another program made it", async () => {
    writeFileSync(path, "", { mode: 0o644 });
    chmodSync(path, 0o644);
    await (await openFile()).append(entry("context"));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is set aside when it is large, and the oldest ones are removed", async () => {
    const file = await openFile({ maxBytes: 1, maxOldFiles: 2 });
    for (const tool of ["a", "b", "c", "d"]) await file.append(entry(tool));
    const names = readdirSync(folder).sort();
    expect(names).toHaveLength(3);
    expect(names.flatMap(toolsIn)).toHaveLength(3);
    expect(toolsIn("mcp-audit.jsonl")).toEqual(["d"]);
    expect(names.map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
  });

  it("keeps every line of two servers, of which one sets it aside", async () => {
    const limits = { maxBytes: 400, maxOldFiles: 9 };
    const [first, second] = [await openFile(limits), await openFile(limits)];
    const tools = Array.from({ length: 12 }, (_, index) => `tool-${index}`);
    for (const [index, tool] of tools.entries()) await (index % 2 ? first : second).append(entry(tool));
    expect(readdirSync(folder).length).toBeGreaterThan(1);
    expect(readdirSync(folder).flatMap(toolsIn).sort()).toEqual([...tools].sort());
  });

  it("keeps files of others beside it", async () => {
    const others = ["mcp-audit.notes.jsonl", "mcp-audit.jsonl.bak", "other.2026-01-01T00-00-00-000Z.jsonl"];
    for (const name of others) writeFileSync(join(folder, name), "");
    const file = await openFile({ maxBytes: 1, maxOldFiles: 1 });
    for (const tool of ["a", "b", "c"]) await file.append(entry(tool));
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(others));
  });

  it("is made again if somebody removes it", async () => {
    const file = await openFile();
    rmSync(path);
    await file.append(entry("after"));
    expect(toolsIn("mcp-audit.jsonl")).toEqual(["after"]);
  });

  it.each<[string, () => void]>([
    ["a folder", () => mkdirSync(path)],
    ["a link", () => symlinkSync(join(root, "elsewhere"), path)],
  ])("is refused if it is %s, in the beginning or later", async (_, prepare) => {
    const file = await openFile();
    rmSync(path);
    prepare();
    await expect(openFile()).rejects.toMatchObject({ code: "mcp:audit_unwritable" });
    await expect(file.append(entry("never"))).rejects.toMatchObject({ code: "mcp:audit_unwritable" });
  });

  it("is no device, whose permissions stay as they are", async () => {
    const { mode } = statSync("/dev/null");
    await expect(AuditFile.open("/dev/null", new Redactor())).rejects.toMatchObject({
      code: "mcp:audit_unwritable",
      message: expect.stringContaining("not a regular file"),
    });
    expect(statSync("/dev/null").mode).toBe(mode);
  });
});
