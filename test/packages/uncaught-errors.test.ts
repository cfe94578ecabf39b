import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";

/** Returns what Node.js prints when a program of the built packages ends with an uncaught error. */
const printedBy = async (
  type: "module" | "commonjs",
  program: string,
  ...words: string[]
): Promise<string> => {
  const node = [`--input-type=${type}`, "--eval", program, "--", ...words];
  const child = spawn(process.execPath, node, { cwd: root, env: { PATH: process.env["PATH"] } });
  const [printed, [status]] = await Promise.all([text(child.stderr), once(child, "exit")]);
  expect(status).toBe(1);
  return printed;
};

const types = ["module", "commonjs"] as const;
const imports = (type: (typeof types)[number], names: string, from: string): string =>
  type === "module" ? `import { ${names} } from "${from}";` : `const { ${names} } = require("${from}");`;

/** Errors that are thrown where they are made. */
const thrown = [
  ["@mgmt/sdk", "createClient", 'createClient({ baseUrl: "nope" })', "normalizeBaseUrl"],
  ["@mgmt/sdk", "createClient", 'createClient({ baseURL: "https://api.example.com" })', "assertOptionNames"],
  ["@mgmt/sdk/node", "nodeTransport", 'nodeTransport({ proxy: "nope" })', "assertProxyUrl"],
  ["@mgmt/sdk/auth", "createAuthenticator", "createAuthenticator({ clientId: 1 })", "createAuthenticator"],
  [
    "@mgmt/mock",
    "setupMock",
    'setupMock().faults.add({ operation: "projects.lst", status: 500 })',
    "Faults.add",
  ],
] as const;

describe.each(types)("an uncaught error of a program as %s", (type) => {
  it.each(thrown)("prints the statement and the functions: %s, %s, %s", async (from, names, call, frame) => {
    const printed = await printedBy(type, `${imports(type, names, from)}\n${call};`);
    const [place = "", line = "", caret = ""] = printed.split("\n");
    expect(place).toMatch(/\/packages\/\w+\/dist\/\S+\.c?js:\d+$/);
    expect(line).toMatch(/^ +throw /);
    expect(line.length).toBeLessThanOrEqual(200);
    expect(caret.trim()).toBe("^");
    expect(printed).toContain(`at ${frame} (`);
  });

  it("prints the error of a response, and no long line", async () => {
    const server = createServer((_, response) =>
      response
        .writeHead(404, { "content-type": "application/json" })
        .end('{"error":{"code":"project:not_found","message":"There is no such project","hint":"Look"}}'),
    );
    await once(server.listen(0, "127.0.0.1"), "listening");
    const baseUrl = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`;
    const program = `${imports(type, "createClient", "@mgmt/sdk")}
      const main = async () => {
        const client = createClient({ baseUrl: process.argv[1], token: "token" });
        await client.projects.get("proj_1");
      };
      main();`;
    const printed = await printedBy(type, program, baseUrl);
    server.close();
    expect(printed).toContain("\nProjectNotFoundError: There is no such project\n");
    expect(printed).toMatch(/\n {4}at async main \(/);
    expect(Math.max(...printed.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(200);
  });
});

it("cannot come from a statement of the validators, whose lines are long", () => {
  const validators = readFileSync(join(root, "packages/engine/src/generated/validators.js"), "utf8");
  expect(validators).toContain("errors");
  expect(validators).not.toMatch(/\bthrow\b/);
});
