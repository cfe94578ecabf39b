import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract/contract.js";
import { linkDependencies } from "../packages/link-dependencies.js";
import { blocksOf } from "./markdown.js";

const page = "CONTRIBUTING.md";
const run = promisify(execFile);
const recipe = blocksOf(page).filter(({ use }) => use === "recipe");
const blocksIn = (language: string): string[] =>
  recipe.filter((block) => block.language === language).map(({ text }) => text);

/** Makes the change of a diff without line numbers: its lines without a sign, and those with a minus, are in the file once. */
const change = async (copy: string, diff: string): Promise<void> => {
  const [head = "", ...lines] = diff.trimEnd().split("\n");
  const file = join(copy, head.replace(/^--- /, ""));
  const without = (sign: string): string =>
    lines
      .filter((line) => !line.startsWith(sign))
      .map((line) => `\n${line.slice(1)}`)
      .join("");
  const [before = "", after, ...others] = `\n${await readFile(file, "utf8")}`.split(`${without("+")}\n`);
  if (after === undefined || others.length > 0)
    throw new Error(`${page}: not one place in ${head} for\n${diff}`);
  await writeFile(file, `${before}${without("-")}\n${after}`.slice(1));
};

/** Saves the blocks that the page gives a file name. */
const saveFiles = async (copy: string): Promise<void> => {
  const text = await readFile(join(root, page), "utf8");
  const saved = [...text.matchAll(/Save this as `([^`]+)`:\n\n```ts recipe\n([\s\S]*?)```/g)];
  expect(saved).toHaveLength(blocksIn("ts").length);
  for (const [, name = "", source = ""] of saved) {
    await mkdir(dirname(join(copy, name)), { recursive: true });
    await writeFile(join(copy, name), source);
  }
};

describe("the recipes of CONTRIBUTING.md", { timeout: 900_000 }, () => {
  let copy = "";
  const inCopy = (program: string, ...words: string[]): Promise<{ stdout: string }> =>
    run(program, words, { cwd: copy, maxBuffer: 2 ** 26 });
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
    for (const diff of blocksIn("diff")) await change(copy, diff);
    await saveFiles(copy);
    for (const line of blocksIn("sh").join("").trim().split("\n")) await inCopy("sh", "-c", line);
    const built = 'import("./scripts/build/cli.ts").then(({ buildCli }) => buildCli())';
    await inCopy(process.execPath, "--import", "tsx", "--eval", built);
  }, 900_000);
  afterAll(() => rm(copy, { recursive: true, force: true }));

  it("add a command", async () => {
    expect(JSON.parse(await mgmt(["greet", "Ada", "--json"]))).toEqual({ text: "Hello, Ada" });
    expect(await mgmt(["help"])).toContain("greet");
  });

  it("add an operation, from the command to the server", async () => {
    const started = join(copy, "serve.mts");
    await writeFile(
      started,
      `import { createServer } from "./packages/engine/src/http.js";
const { engine, baseUrl } = await createServer();
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
    } finally {
      server.kill();
    }
  });
});
