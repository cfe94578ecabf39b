import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";
import { ConfigProblem, locate } from "./config-entry.js";
import { editJson } from "./edit-json.js";

const lenient = { serversKey: "servers", isStrict: false };
const entry = { required: { command: "mgmt", args: ["mcp"] }, initial: { timeout: 30 } };

const problemOf = (text: string, format = lenient): string => {
  try {
    editJson(text, format, entry);
  } catch (error) {
    if (!(error instanceof ConfigProblem)) throw error;
    const { line, column } = locate(text, error.offset);
    return `${String(line)}:${String(column)} ${error.problem}`;
  }
  return "no problem";
};

describe("a server in JSON", () => {
  const added = `{
  "servers": {
    "mgmt": {
      "command": "mgmt",
      "args": ["mcp"],
      "timeout": 30
    }
  }
}
`;

  it.each([
    ["", added],
    ["\n\n", `${added.slice(0, -1)}\n`],
    ["{}", added.slice(0, -1)],
    ["{\n}\n", added],
    ["// why\n", `// why\n${added}`],
    ["\uFEFF{}\n", `\uFEFF${added}`],
    [
      '{\r\n\t"a": 1, // one\r\n\t"servers": {\r\n\t\t// none yet\r\n\t}\r\n}\r\n',
      '{\r\n\t"a": 1, // one\r\n\t"servers": {\r\n\t\t"mgmt": {\r\n\t\t\t"command": "mgmt",\r\n\t\t\t"args": ["mcp"],\r\n' +
        '\t\t\t"timeout": 30\r\n\t\t}\r\n\t\t// none yet\r\n\t}\r\n}\r\n',
    ],
    [
      '{\n    "servers": {\n        "x": { "command": "y" } // one\n    }\n}',
      '{\n    "servers": {\n        "x": { "command": "y" }, // one\n        "mgmt": {\n            "command": "mgmt",\n' +
        '            "args": ["mcp"],\n            "timeout": 30\n        }\n    }\n}',
    ],
    [
      '{\n  "servers": {\n    "x": {}, /* one */\n    // two\n  },\n}\n',
      '{\n  "servers": {\n    "x": {}, /* one */\n    "mgmt": {\n      "command": "mgmt",\n      "args": ["mcp"],\n      "timeout": 30\n' +
        "    },\n    // two\n  },\n}\n",
    ],
    [
      '{"servers":{"x":{"command":"y"}},"z":[1]}',
      '{"servers":{"x":{"command":"y"}, "mgmt": { "command": "mgmt", "args": ["mcp"], "timeout": 30 }},"z":[1]}',
    ],
    [
      '{"servers": {"z": 1 /* one */ } /* two */ ,}',
      '{"servers": {"z": 1, "mgmt": { "command": "mgmt", "args": ["mcp"], "timeout": 30 } /* one */ } /* two */ ,}',
    ],
    [
      '{"a": [],}',
      '{"a": [], "servers": { "mgmt": { "command": "mgmt", "args": ["mcp"], "timeout": 30 } },}',
    ],
  ])("is added without a change of anything else: %j", (text, expected) => {
    expect(editJson(text, lenient, entry)).toEqual({ text: expected, before: undefined });
  });

  it.each([
    [
      '{\n  "servers": {\n    "mgmt": { // mine\n      "command": "npx", // why\n      "args": ["-y", "x"],\n      "timeout": 5,\n      "env": {}\n    }\n  }\n}',
      '{\n  "servers": {\n    "mgmt": { // mine\n      "command": "mgmt", // why\n      "args": ["mcp"],\n      "timeout": 5,\n      "env": {}\n    }\n  }\n}',
    ],
    [
      '{"servers": {"mgmt": {"command": "mgmt"}}}',
      '{"servers": {"mgmt": {"command": "mgmt", "args": ["mcp"]}}}',
    ],
    [
      '{"servers": {"mgmt": {"url": "https://x", "headers": {"a": "b"}}, "z": 1}}',
      '{"servers": {"mgmt": {\n  "command": "mgmt",\n  "args": ["mcp"],\n  "timeout": 30\n}, "z": 1}}',
    ],
    [
      '{"servers": {"mgmt": {"env": {"A": "b"}}}}',
      '{"servers": {"mgmt": {"env": {"A": "b"}, "command": "mgmt", "args": ["mcp"]}}}',
    ],
    [
      '{"servers": {"mgmt": null}}',
      '{"servers": {"mgmt": {\n  "command": "mgmt",\n  "args": ["mcp"],\n  "timeout": 30\n}}}',
    ],
  ])("replaces the command of one that exists, and keeps other keys: %j", (text, expected) => {
    const edited = editJson(text, lenient, entry);
    expect(edited.text).toBe(expected);
    expect(edited.before).toEqual((parse(text) as { servers: { mgmt: unknown } }).servers.mgmt);
    expect(editJson(expected, lenient, entry).text).toBe(expected);
  });

  it.each([
    ['{"servers": {"mgmt": {}}}', '{"servers": {}}'],
    ['{"servers": {\n  "mgmt": {},\n}}', '{"servers": {}}'],
    ['{"servers": {\n  // why\n  "mgmt": {}\n}}', '{"servers": {\n  // why\n}}'],
    ['{"servers": {\n  "x": 1,\n  "mgmt": {}\n}}', '{"servers": {\n  "x": 1\n}}'],
    ['{"servers": {\n  "x": 1,\n  "mgmt": {},\n}}', '{"servers": {\n  "x": 1,\n}}'],
    ['{"servers": {\n  "mgmt": {},\n  "x": 1\n}}', '{"servers": {\n  "x": 1\n}}'],
    ['{"servers": {"x": 1, "mgmt": {}}}', '{"servers": {"x": 1}}'],
    ['{"servers": {"mgmt": {}, "x": 1}}', '{"servers": {"x": 1}}'],
    ["{}", "{}"],
    ["", ""],
    ['{"servers": {"x": 1}}', '{"servers": {"x": 1}}'],
  ])("is removed: %j", (text, expected) => {
    expect(editJson(text, lenient, undefined).text).toBe(expected);
    expect(parse(expected || "{}")).not.toHaveProperty("servers.mgmt");
  });

  it.each([
    ['{"servers": {\n  "mgmt": {} // a\n}}', '{"servers": {\n  // a\n}}'],
    ['{"servers": {\n  "mgmt": {}, // a\n  "x": 1 // b\n}}', '{"servers": {\n  // a\n  "x": 1 // b\n}}'],
    [
      '{"servers": {\r\n\t"x": 1, // a\r\n\t// b\r\n\t"mgmt": {} // c\r\n}}',
      '{"servers": {\r\n\t"x": 1 // a\r\n\t// b\r\n\t// c\r\n}}',
    ],
    [
      '{"servers": {\n  "x": 1, // a\n\n  "mgmt": { // b\n    "args": [] // c\n  } /* d */, // e\n}}',
      '{"servers": {\n  "x": 1, // a\n\n  // b\n  // c\n  /* d */ // e\n}}',
    ],
    [
      '{"servers": {\n  "x": 1, /* a, */ "mgmt": {}, // b\n  "y": 1\n}}',
      '{"servers": {\n  "x": 1, /* a, */ // b\n  "y": 1\n}}',
    ],
    ['{"servers": {"x": 1, /* a */ "mgmt": {} /* b */}}', '{"servers": {"x": 1 /* a */ /* b */}}'],
    ['{"servers": {"mgmt": {} /* a */, "x": 1}}', '{"servers": { /* a */ "x": 1}}'],
    ['{"servers": {"mgmt": {} // a }\n}}', '{"servers": { // a }\n}}'],
    ['{"servers": {"x": 1 // a\n  , "mgmt": {}}}', '{"servers": {"x": 1 // a\n   }}'],
    ['{"servers": {"mgmt": {/* a */}}}', '{"servers": { /* a */\n}}'],
    ['{"servers": {\n  "x": 1,\n\n  "mgmt": {}\n}}', '{"servers": {\n  "x": 1\n}}'],
  ])("is removed without the comments of the user: %j", (text, expected) => {
    expect(editJson(text, lenient, undefined).text).toBe(expected);
    expect(parse(expected)).toEqual({
      servers: { ...(parse(text) as { servers: object }).servers, mgmt: undefined },
    });
  });

  it.each([
    ["[]", "1:1 it is not a JSON object"],
    ["{", "1:2 a closing } is missing"],
    ['{\n  "a": 1\n  "b": 2\n}', "3:3 a comma is missing"],
    ['\uFEFF{\n  "a" 1\n}', "2:7 a colon is missing"],
    ['{"a": "b}', "1:7 a string has no end"],
    ["{} {}", "1:4 it continues after its end"],
    ["{'a': 1}", "1:2 it is not JSON"],
    ['{\n"servers": []}', "2:12 servers is not an object"],
    ['{"servers": {},\n"servers": {}}', '2:1 it has "servers" twice'],
    ['{"servers": {"mgmt": {}, "mgmt": {}}}', '1:26 it has "mgmt" twice'],
    ['{"servers": {"mgmt": {"command": "a", "command": "b"}}}', '1:39 it has "command" twice'],
  ])("is not written into a file that clients do not read: %j", (text, expected) => {
    expect(problemOf(text)).toBe(expected);
  });

  it.each([
    ['{\n  // why\n  "a": 1\n}', "2:3 it has a comment, which this client does not read"],
    ['{"a": 1,\n}', "2:1 it has a comma before a closing bracket, which this client does not read"],
    ['{"a": [1,]}', "1:10 it has a comma before a closing bracket, which this client does not read"],
  ])("is not written where the client reads JSON alone: %j", (text, expected) => {
    expect(problemOf(text, { ...lenient, isStrict: true })).toBe(expected);
    expect(problemOf(text)).toBe("no problem");
  });
});
