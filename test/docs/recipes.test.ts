import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { reportVariable } from "../../scripts/gate/failures-reporter.js";
import { root } from "../../scripts/generate/contract/contract.js";
import { linkDependencies } from "../packages/link-dependencies.js";
import { blocksOf } from "./markdown.js";

const page = "CONTRIBUTING.md";
const run = promisify(execFile);

/** Whether to build and to run what the recipes make, too, as the part `recipes` of `npm run test:full` does. */
const runsRecipes = process.env["MGMT_RECIPES_FULL"] === "1";

/** The tests that see the changes of the recipes. */
const relatedTests = [
  "test/contract/combinations.test.ts",
  "test/contract/contract.test.ts",
  "test/contract/error-texts.test.ts",
  "test/contract/examples.test.ts",
  "packages/engine/src/rules/branches/branches.test.ts",
  "packages/engine/src/rules/regions/regions.test.ts",
  "packages/cli/src/contract/generated-command.test.ts",
  "packages/cli/test/commands/operations/commands.test.ts",
  "packages/sdk/test/reference-server.test.ts",
];

/** The command and the server, which import the sources that recipes change. */
const entryPoints = ["packages/cli/src/mgmt.ts", "packages/engine/src/internal.ts"];

/**
 * Makes the changes of a diff without line numbers. In each of its files, the lines without a sign, and those with a minus, are together
 * once. A file that does not exist has the lines with a plus.
 *
 * @returns the names of its files
 */
const change = async (copy: string, diff: string): Promise<string[]> => {
  const names: string[] = [];
  for (const part of diff.trimEnd().split(/\n(?=--- )/)) {
    const [head = "", ...lines] = part.split("\n");
    const name = head.replace(/^--- /, "");
    names.push(name);
    const file = join(copy, name);
    const without = (sign: string): string =>
      lines
        .filter((line) => !line.startsWith(sign))
        .map((line) => `\n${line.slice(1)}`)
        .join("");
    if (!existsSync(file)) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, `${without("-").slice(1)}\n`);
      continue;
    }
    const [before = "", after, ...others] = `\n${await readFile(file, "utf8")}`.split(`${without("+")}\n`);
    if (after === undefined || others.length > 0)
      throw new Error(`${page}: not one place in ${name} for\n${part}`);
    await writeFile(file, `${before}${without("-")}\n${after}`.slice(1));
  }
  return names;
};

it("names files that exist, as do the tests of its recipes", () => {
  const text = readFileSync(join(root, page), "utf8");
  const named = [...text.matchAll(/`((?:openapi|packages|scripts|test)\/[\w./-]+)`/g)].map(
    ([, path = ""]) => path,
  );
  expect(named).toContain("packages/engine/src/store/rows.ts");
  const missing = [...named, ...relatedTests].filter((path) => !existsSync(join(root, path)));
  expect(missing).toEqual([]);
});

describe("the recipes of CONTRIBUTING.md", { timeout: 900_000 }, () => {
  let copy = "";
  const inCopy = async (program: string, ...words: string[]): Promise<void> => {
    const env = { ...process.env };
    // Those who run this test report it to the gate, not the tests that it runs.
    delete env[reportVariable];
    try {
      await run(program, words, { cwd: copy, env, maxBuffer: 2 ** 26 });
    } catch (error) {
      const { stdout } = error as { stdout?: string };
      throw new Error(`${[program, ...words].join(" ")}\n${String(stdout)}`, { cause: error });
    }
  };
  const mgmt = async (words: string[], env: NodeJS.ProcessEnv = {}): Promise<string> => {
    const { stdout } = await run(process.execPath, ["packages/cli/dist/mgmt.js", ...words], {
      cwd: copy,
      env: { ...process.env, MGMT_CONFIG_DIR: copy, ...env },
    });
    return stdout;
  };

  beforeAll(async () => {
    copy = await realpath(await mkdtemp(join(tmpdir(), "mgmt-recipes-")));
    const listed = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
    const { stdout } = await run("git", listed, { cwd: root, maxBuffer: 2 ** 26 });
    for (const file of stdout.split("\0").filter(Boolean)) {
      // A file that was deleted is listed until that is committed.
      await cp(join(root, file), join(copy, file)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
      });
    }
    await linkDependencies(copy);
    const changed: string[] = [];
    for (const { text, use } of blocksOf(page))
      if (use === "recipe") changed.push(...(await change(copy, text)));
    await inCopy("npm", "run", "generate");
    if (!runsRecipes) {
      const files = [...entryPoints, ...changed.filter((name) => name.endsWith(".ts"))];
      const config = { extends: "./tsconfig.json", include: [], files };
      await writeFile(join(copy, "tsconfig.recipes.json"), JSON.stringify(config));
      await inCopy("npm", "run", "typecheck", "--", "-p", "tsconfig.recipes.json");
      return;
    }
    await inCopy("npm", "run", "typecheck");
    const built = 'import("./scripts/build/cli.ts").then(({ buildCli }) => buildCli())';
    await inCopy(process.execPath, "--import", "tsx", "--eval", built);
  }, 900_000);
  afterAll(() => rm(copy, { recursive: true, force: true }));

  it("can be generated, and have the types that the code expects", () => {
    expect(existsSync(join(copy, "packages/cli/src/commands/greet/greet.ts"))).toBe(true);
  });

  it.runIf(runsRecipes)("pass the tests that are related to them", async () => {
    await inCopy("npm", "test", "--", ...relatedTests);
  });

  it.runIf(runsRecipes)("add a command", async () => {
    expect(JSON.parse(await mgmt(["greet", "Ada", "--json"]))).toEqual({ text: "Hello, Ada" });
    expect(await mgmt(["help"])).toContain("greet");
  });

  it.runIf(runsRecipes)(
    "add an operation, a flag and an error code, from the command to the server",
    async () => {
      const started = join(copy, "serve.mts");
      await writeFile(
        started,
        `import { createServer } from "./packages/engine/src/http.js";
const { engine, baseUrl } = await createServer();
const { id } = await engine.seed.project({ name: "shop" });
await engine.seed.branch(id, { gitName: "dev" });
console.log(JSON.stringify({ baseUrl, token: await engine.tokens.user() }));`,
      );
      const server = execFile(process.execPath, ["--import", "tsx", started], { cwd: copy });
      try {
        const line = await new Promise<string>((resolve, reject) => {
          server.stdout?.once("data", (data) => resolve(String(data)));
          server.once("exit", () => reject(new Error("The server has ended")));
        });
        const { baseUrl, token } = JSON.parse(line);
        const env = { MGMT_BASE_URL: baseUrl, MGMT_TOKEN: token };
        expect(await mgmt(["regions", "get-default", "-o", "name"], env)).toBe("us-east-1\n");

        const gitNames = async (...flags: string[]): Promise<string[]> => {
          const branches: { gitName: string }[] = JSON.parse(
            await mgmt(["projects", "branches", "list", "shop", "--json", ...flags], env),
          );
          return branches.map(({ gitName }) => gitName);
        };
        expect(await gitNames("--is-default")).toEqual(["main"]);
        expect(await gitNames("--no-is-default")).toEqual(["dev"]);
        expect(await gitNames()).toEqual(["main", "dev"]);

        await expect(mgmt(["projects", "branches", "create", "shop", "HEAD"], env)).rejects.toMatchObject({
          stderr: expect.stringContaining("Git reserves the name HEAD"),
        });
      } finally {
        server.kill();
      }
    },
  );
});
