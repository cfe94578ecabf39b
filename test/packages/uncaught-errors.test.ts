import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";

/** A statement that throws, what it imports, and the function that throws. */
const statements = [
  ['createClient({ baseUrl: "nope" })', "createClient", "@mgmt/sdk", "normalizeBaseUrl"],
  ['nodeTransport({ proxy: "nope" })', "nodeTransport", "@mgmt/sdk/node", "assertProxyUrl"],
  ["createAuthenticator({ clientId: 1 })", "createAuthenticator", "@mgmt/sdk/auth", "createAuthenticator"],
  ['setupMock().faults.add({ operation: "projects.lst" })', "setupMock", "@mgmt/mock", "Faults.add"],
] as const;

/** A call whose response has an error. */
const failing = `
  const fetch = async () => Response.json(
    { error: { code: "project:not_found", message: "There is no such project", hint: "Look" } },
    { status: 404 },
  );
  const client = createClient({ baseUrl: "https://api.test", token: "t", fetch });
  const main = async () => {
    await client.projects.get("proj_1");
  };
  main();`;

describe.each(["module", "commonjs"] as const)("an uncaught error of a built package, in a %s", (type) => {
  /** Returns the lines that Node.js prints. */
  const linesOf = async (name: string, from: string, statement: string): Promise<string[]> => {
    const program =
      type === "module" ? `import { ${name} } from "${from}";` : `const { ${name} } = require("${from}");`;
    const words = [`--input-type=${type}`, "--eval", `${program}\n${statement};`];
    const child = spawn(process.execPath, words, { cwd: root, env: { PATH: process.env["PATH"] } });
    return (await text(child.stderr)).split("\n");
  };

  it.each(statements)("shows the statement and the function: %s", async (statement, name, from, frame) => {
    const [place, line = "", caret = "", ...others] = await linesOf(name, from, statement);
    expect(place).toMatch(/\/packages\/\w+\/dist\/\S+\.c?js:\d+$/);
    expect(line).toMatch(/^ +throw .{1,190}$/);
    expect(caret.trim()).toBe("^");
    expect(others.join("\n")).toContain(`at ${frame} (`);
  });

  it("shows the error of a response, and no long line", async () => {
    const lines = await linesOf("createClient", "@mgmt/sdk", failing);
    expect(lines).toContain("ProjectNotFoundError: There is no such project");
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(200);
  });
});
