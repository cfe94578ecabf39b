import { getStaticTOMLValue, parseTOML } from "toml-eslint-parser";
import { describe, expect, it } from "vitest";
import { ConfigProblem, locate } from "./config-entry.js";
import { editToml } from "./edit-toml.js";

const entry = { required: { command: "mgmt", args: ["mcp", 'a"b\\'] }, initial: { startup_timeout_sec: 30 } };
const table = '[mcp_servers.mgmt]\ncommand = "mgmt"\nargs = ["mcp", "a\\"b\\\\"]\nstartup_timeout_sec = 30\n';

const inline = table.trim().split("\n").slice(1).join(", ");
/** What the entry must say. */
const command = table.replace(/startup.*\n/, "");

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
    ["[mcp_servers.mgmt2.env]\na = 'b'\n", `[mcp_servers.mgmt2.env]\na = 'b'\n\n${table}`],
  ])("is added behind everything else: %j", (text, expected) => {
    expect(editToml(text, entry)).toEqual({ text: expected, before: undefined });
    expect(editToml(expected, entry).text).toBe(expected);
    expect(editToml(expected, undefined).text.trim()).toBe(text.trim());
  });

  it.each([
    ["mcp_servers = {}\n", `mcp_servers = { mgmt = { ${inline} } }\n`],
    ["mcp_servers = { x = {} } # c\n", `mcp_servers = { x = {}, mgmt = { ${inline} } } # c\n`],
  ])("is added to the value of all servers: %j", (text, expected) => {
    expect(editToml(text, entry)).toEqual({ text: expected, before: undefined });
    expect(editToml(expected, entry).text).toBe(expected);
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
      `# c\n\n# two\n[z]\ny = 1\n\n${table}`,
    ],
    [
      "a = 1\n\n# why\n[mcp_servers.mgmt.env] # mine\nA = 'b'\n",
      `a = 1\n\n# why\n${command}\n[mcp_servers.mgmt.env] # mine\nA = 'b'\n`,
    ],
    [
      "[mcp_servers.mgmt.env]\r\nA = 'b'\r\n[[mcp_servers.mgmt.x]]\r\ny = 1\r\n",
      `${command}\n[mcp_servers.mgmt.env]\nA = 'b'\n[[mcp_servers.mgmt.x]]\ny = 1\n`.replaceAll("\n", "\r\n"),
    ],
    [
      "[mcp_servers.mgmt.env]\nA = 'b'\n\n[mcp_servers.mgmt]\ncommand = 'x' # c\nargs = []\n",
      '[mcp_servers.mgmt.env]\nA = \'b\'\n\n[mcp_servers.mgmt]\ncommand = "mgmt" # c\nargs = ["mcp", "a\\"b\\\\"]\n',
    ],
    [
      "mcp_servers = { x = { command = 'y' }, mgmt = { command = 'z', enabled = false } } # c\n",
      'mcp_servers = { x = { command = \'y\' }, mgmt = { command = "mgmt", enabled = false, args = ["mcp", "a\\"b\\\\"] } } # c\n',
    ],
    [
      "[mcp_servers]\nmgmt = {} # c\nx = { command = 'y' }\n",
      '[mcp_servers]\nmgmt = { command = "mgmt", args = ["mcp", "a\\"b\\\\"] } # c\nx = { command = \'y\' }\n',
    ],
    [
      "[mcp_servers]\nmgmt = { url = 'https://x' } # c\nx.command = 'y'\n",
      `[mcp_servers]\n# c\nx.command = 'y'\n\n${table}`,
    ],
    [
      "mcp_servers = { mgmt = { url = 'https://x' }, x = { command = 'y' } }\n",
      `mcp_servers = { x = { command = 'y' }, mgmt = { ${inline} } }\n`,
    ],
    [
      "mcp_servers.mgmt.command = 'x' # c\nmcp_servers.mgmt.env.A = 'b' # d\n[z]\n",
      'mcp_servers.mgmt.command = "mgmt" # c\nmcp_servers.mgmt.env.A = \'b\' # d\nmcp_servers.mgmt.args = ["mcp", "a\\"b\\\\"]\n[z]\n',
    ],
    [
      "[mcp_servers]\nmgmt.env.A = 'b'\n",
      '[mcp_servers]\nmgmt.env.A = \'b\'\nmgmt.command = "mgmt"\nmgmt.args = ["mcp", "a\\"b\\\\"]\n',
    ],
    [
      "mcp_servers = { mgmt.command = 'x' }\n",
      'mcp_servers = { mgmt.command = "mgmt", mgmt.args = ["mcp", "a\\"b\\\\"] }\n',
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
    [
      "[mcp_servers.mgmt] # a\n# b\ncommand = 'x' # c\nargs = [ # d\n] # e\n# f\n[z]\n",
      "# a\n# b\n# c\n# d\n# e\n# f\n[z]\n",
    ],
    ["[mcp_servers.mgmt.env] # a\nA = '# no'\n", "# a\n"],
    ["[z]\ny = 1\n\n[mcp_servers.mgmt.env]\nA = 'b'", "[z]\ny = 1\n"],
    ["mcp_servers = { x = {}, mgmt = { command = 'y' } } # a\n", "mcp_servers = { x = {} } # a\n"],
    ["mcp_servers = { mgmt = { command = 'y' }, x = {} }\n", "mcp_servers = { x = {} }\n"],
    ["mcp_servers = { mgmt.command = 'y', mgmt.args = [], x = {} }\n", "mcp_servers = { x = {} }\n"],
    ["mcp_servers = { x = {}, mgmt.command = 'y', mgmt.args = [] }\n", "mcp_servers = { x = {} }\n"],
    ["mcp_servers = {mgmt = {}}\n", "mcp_servers = {}\n"],
    ["[mcp_servers]\nmgmt = {} # a\nx = {}\n", "[mcp_servers]\n# a\nx = {}\n"],
    ["mcp_servers.mgmt.command = 'x' # a\nmcp_servers.mgmt.env.A = 'b'\n[z]\n", "# a\n[z]\n"],
    ["[mcp_servers]\nmgmt.command = 'x'\nx.command = 'y'\n", "[mcp_servers]\nx.command = 'y'\n"],
  ])("is removed in every form, without the comments of the user: %j", (text, expected) => {
    const { text: edited } = editToml(text, undefined);
    expect(edited).toBe(expected);
    const servers = getStaticTOMLValue(parseTOML(edited))["mcp_servers"] as
      | Record<string, unknown>
      | undefined;
    expect(servers?.["mgmt"]).toBeUndefined();
  });

  it.each([
    ["a = \n", "2:1 unspecified values are invalid"],
    ["[x]\na = 1\na = 2\n", "3:1 defining a key multiple times is invalid"],
    ["\uFEFFa = 'x\n", "1:8 unterminated string constant"],
    ["a = {b = 1,}\n", "1:12 trailing comma is not permitted in an inline table"],
    ["x = 1\nmcp_servers = 3\n", "2:1 mcp_servers is not a table"],
    ["[mcp_servers]\nmgmt = 3\n", "1:1 mcp_servers.mgmt is not a table"],
    ["[[mcp_servers]]\nname = 'mgmt'\n", "1:1 mcp_servers is not a table"],
    ["[[mcp_servers.mgmt]]\ncommand = 'x'\n", "1:1 mcp_servers.mgmt is not a table"],
  ])("is not written into a file that Codex does not read: %j", (text, expected) => {
    expect(problemOf(text)).toBe(expected);
  });
});
