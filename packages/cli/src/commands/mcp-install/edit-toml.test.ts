import { describe, expect, it } from "vitest";
import { ConfigProblem, locate } from "./config-entry.js";
import { editToml } from "./edit-toml.js";

const entry = { required: { command: "mgmt", args: ["mcp", 'a"b\\'] }, initial: { startup_timeout_sec: 30 } };
const table = '[mcp_servers.mgmt]\ncommand = "mgmt"\nargs = ["mcp", "a\\"b\\\\"]\nstartup_timeout_sec = 30\n';

const problemOf = (text: string): string => {
  try {
    editToml(text, entry);
  } catch (error) {
    if (!(error instanceof ConfigProblem)) throw error;
    const { line, column } = locate(text, error.offset);
    return `${String(line)}:${String(column)} ${error.problem}`;
  }
  return "no problem";
};

describe("a server in TOML", () => {
  it.each([
    ["", table],
    ["\n", `\n${table}`],
    ['model = "a" # why', `model = "a" # why\n\n${table}`],
    ["# why\n\n", `# why\n\n${table}`],
    ["\uFEFFa = 1\n", `\uFEFFa = 1\n\n${table}`],
    ["a = 1\r\n", `a = 1\r\n\r\n${table.replaceAll("\n", "\r\n")}`],
    [
      "  [ mcp_servers . x ]\n  command='y' # one\n  when = 1979-05-27T07:32:00Z\n[[hooks]]\nx = {a = 1}\n",
      `  [ mcp_servers . x ]\n  command='y' # one\n  when = 1979-05-27T07:32:00Z\n[[hooks]]\nx = {a = 1}\n\n${table}`,
    ],
    ['mcp_servers.x.command = "y"\n', `mcp_servers.x.command = "y"\n\n${table}`],
    ["[mcp_servers]\n[z]\n", `[mcp_servers]\n[z]\n\n${table}`],
  ])("is added behind everything else: %j", (text, expected) => {
    expect(editToml(text, entry)).toEqual({ text: expected, before: undefined });
    expect(editToml(expected, entry).text).toBe(expected);
    expect(editToml(expected, undefined).text.trim()).toBe(text.trim());
  });

  it.each([
    [
      "# first\n[mcp_servers.mgmt] # mine\ncommand = 'npx' # why\nargs = [\n  '-y', # yes\n] # list\nstartup_timeout_sec = 5\n\n[mcp_servers.mgmt.env]\nA = 'b'\n\n[z]\n",
      '# first\n[mcp_servers.mgmt] # mine\ncommand = "mgmt" # why\nargs = ["mcp", "a\\"b\\\\"] # list\nstartup_timeout_sec = 5\n\n[mcp_servers.mgmt.env]\nA = \'b\'\n\n[z]\n',
    ],
    [
      '[mcp_servers.mgmt]\r\ncommand = "mgmt" # why\r\n[z]\r\n',
      '[mcp_servers.mgmt]\r\ncommand = "mgmt" # why\r\nargs = ["mcp", "a\\"b\\\\"]\r\n[z]\r\n',
    ],
    [
      '[mcp_servers."mgmt"]\nurl = "https://x"\nhttp_headers = { a = "b" } # c\n\n[mcp_servers.mgmt.env_http_headers]\nA = "b"\n\n# two\n[z]\ny = 1\n',
      `\n# two\n[z]\ny = 1\n\n${table}`,
    ],
  ])("replaces the command of one that exists, and keeps other keys: %j", (text, expected) => {
    const edited = editToml(text, entry);
    expect(edited.text).toBe(expected);
    expect(edited.before).toBeDefined();
    expect(editToml(expected, entry).text).toBe(expected);
  });

  it.each([
    [
      `a = 1\n\n# why\n${table}\n[mcp_servers.mgmt.env]\nA = "b"\n\n[z]\ny = 1`,
      "a = 1\n\n# why\n\n[z]\ny = 1",
    ],
    ["a = 1\n", "a = 1\n"],
    ["", ""],
  ])("is removed with its tables: %j", (text, expected) => {
    expect(editToml(text, undefined).text).toBe(expected);
  });

  it.each([
    ["a = \n", "2:1 unspecified values are invalid"],
    ["[x]\na = 1\na = 2\n", "3:1 defining a key multiple times is invalid"],
    ["\uFEFFa = 'x\n", "1:8 unterminated string constant"],
    ["a = {b = 1,}\n", "1:12 trailing comma is not permitted in an inline table"],
    ["x = 1\nmcp_servers = 3\n", "2:1 mcp_servers is not a table"],
    ["[mcp_servers]\nmgmt = 3\n", "1:1 mcp_servers.mgmt is not a table"],
    [
      "x = 1\nmcp_servers = { x = {} }\n",
      "2:1 mcp_servers is written without a table, such as [mcp_servers.mgmt], of its own",
    ],
    [
      "[mcp_servers]\nmgmt = { command = 'x' }\n",
      "2:1 mcp_servers.mgmt is written without a table, such as [mcp_servers.mgmt], of its own",
    ],
    [
      "mcp_servers.mgmt.command = 'x'\n",
      "1:1 mcp_servers.mgmt is written without a table, such as [mcp_servers.mgmt], of its own",
    ],
  ])(
    "is not written into a file that Codex does not read, or that has it in another form: %j",
    (text, expected) => {
      expect(problemOf(text)).toBe(expected);
    },
  );
});
