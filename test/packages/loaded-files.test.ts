import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const folder = fileURLToPath(new URL("../../packages/sdk", import.meta.url));

/** Prints the address of each file that an ES module loads. */
const hooks = `export const load = (url, context, next) => {
  if (url.startsWith("file:")) process._rawDebug("loaded " + url);
  return next(url, context);
};`;
const dataOf = (code: string): string => `data:text/javascript,${encodeURIComponent(code)}`;
const register = dataOf(
  `import { register } from "node:module"; register(${JSON.stringify(dataOf(hooks))});`,
);

const run = (program: string): string =>
  execFileSync(
    "sh",
    [
      "-c",
      'exec "$0" "$@" 2>&1',
      process.execPath,
      "--import",
      register,
      "--input-type=module",
      "--eval",
      program,
    ],
    {
      cwd: folder,
      encoding: "utf8",
    },
  );

describe("an import of the SDK in Node.js", () => {
  it.each([
    ["@mgmt/sdk", 2],
    ["@mgmt/sdk/partial", 2],
    ["@mgmt/sdk/node", 4],
    ["@mgmt/sdk/auth", 4],
  ])("loads few files: %s", (name, most) => {
    const loaded = run(`await import(${JSON.stringify(name)});`).match(/^loaded .*/gm) ?? [];
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.length, loaded.join("\n")).toBeLessThanOrEqual(most);
  });

  it("creates each class once for all entries", () => {
    const printed = run(`
      const [sdk, auth] = await Promise.all([import("@mgmt/sdk"), import("@mgmt/sdk/auth")]);
      console.log(Object.prototype.isPrototypeOf.call(sdk.MgmtError, auth.AuthError));`);
    expect(printed).toMatch(/^true$/m);
  });
});
