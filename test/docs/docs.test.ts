import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../scripts/generate/contract.js";
import { type Block, blocksOf } from "./blocks.js";

/**
 * Every code block of the docs is run against the built packages, as its fence says: `sh serve` starts the platform,
 * `sh run` and `ts run` run against it, `ts test` is a vitest file, `ts` is compiled, `sh root` is a script of this repository
 * that has its own test.
 */
const files = [
  "README.md",
  ...readdirSync(join(root, "packages")).map((name) => `packages/${name}/README.md`),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name.replaceAll("\\", "/")}`),
];
const blocks = files.flatMap(blocksOf);
const use = (language: string, ...uses: string[]): Block[] =>
  blocks.filter((block) => block.language === language && uses.includes(block.use));

const run = promisify(execFile);
const scratch = join(root, "test/docs/.blocks");
const blockFile = (block: Block, ending: string): string => {
  const file = join(scratch, `${block.where.replaceAll(/\W+/g, "-")}${ending}`);
  writeFileSync(file, block.text);
  return file;
};

interface Ready {
  baseUrl: string;
  token: string;
}
let platform: ChildProcess | undefined;
let environment: NodeJS.ProcessEnv;

/** The `sh serve` block of the README, on a free port and with data that is thrown away. */
const serve = async (block: Block): Promise<Ready> => {
  const [, , command, ...rest] = block.text.trim().split(" ");
  expect(command).toBe("dev");
  const flags = rest.map((flag) => (/^\d+$/.test(flag) ? "0" : flag));
  const program = join(root, "packages/cli/dist/mgmt.js");
  platform = spawn(process.execPath, [program, "dev", ...flags, "--ephemeral", "--output", "json"], {
    stdio: ["ignore", "pipe", "inherit"],
    // Where it registers its profile: not in that of who runs the tests.
    env: { ...process.env, MGMT_CONFIG_DIR: join(scratch, "config") },
  });
  return new Promise((resolve, reject) => {
    platform?.stdout?.once("data", (line: Buffer) => resolve(JSON.parse(String(line)) as Ready));
    platform?.once("exit", (code) => reject(new Error(`mgmt dev ended with ${code}`)));
  });
};

beforeAll(async () => {
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  // Else vitest would find this repository's own settings, with the sources in place of the built packages.
  writeFileSync(join(scratch, "vitest.config.mjs"), "export default {};\n");
  const [serving] = use("sh", "serve");
  if (!serving) throw new Error("no block starts the platform");
  const ready = await serve(serving);
  environment = {
    ...process.env,
    MGMT_CONFIG_DIR: join(scratch, "config"),
    PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"]}`,
    MGMT_BASE_URL: ready.baseUrl,
    MGMT_TOKEN: ready.token,
  };
});
afterAll(() => {
  platform?.kill("SIGTERM");
  rmSync(scratch, { recursive: true, force: true });
});

describe("the code blocks of the docs", () => {
  it("are all of a kind that a test runs", () => {
    const known = ["sh root", "sh serve", "sh run", "ts", "ts run", "ts test"];
    const others = blocks.filter(({ language, use: how }) => !known.includes(`${language} ${how}`.trim()));
    expect(others.map(({ where, language }) => `${where} ${language}`)).toEqual([]);
  });

  it("name scripts of this repository that exist", async () => {
    const manifest = (await import("../../package.json")) as { scripts: Record<string, string> };
    for (const { text, where } of use("sh", "root")) {
      const scripts = [...text.matchAll(/npm (?:run )?(\w+)/g)].map(([, name = ""]) => name);
      for (const name of scripts.filter((word) => word !== "install")) {
        expect(Object.keys(manifest.scripts), where).toContain(name);
      }
    }
  });

  it.each(use("sh", "run"))("run in a shell: $where", async ({ text }) => {
    const script = text
      .replaceAll("http://127.0.0.1:4300", environment["MGMT_BASE_URL"] ?? "")
      .replaceAll("<the token>", environment["MGMT_TOKEN"] ?? "");
    await run("bash", ["-euo", "pipefail", "-c", script], { cwd: scratch, env: environment });
  });

  it.each(use("ts", "run"))("run as a program: $where", async (block) => {
    await run("npx", ["tsx", blockFile(block, ".ts")], { cwd: scratch, env: environment });
  });

  it.each(use("ts", "test"))("run as a test: $where", async (block) => {
    const file = blockFile(block, ".test.ts");
    await run("npx", ["vitest", "run", "--root", scratch, file], { cwd: scratch, env: process.env });
  });

  it("compile against the built declarations", async () => {
    for (const block of use("ts", "")) blockFile(block, ".ts");
    const config = {
      extends: "../../../tsconfig.json",
      compilerOptions: { paths: {} },
      include: ["*.ts"],
      exclude: [],
    };
    writeFileSync(join(scratch, "tsconfig.json"), JSON.stringify(config));
    await run("npx", ["tsc", "--noEmit", "-p", scratch], { cwd: root });
  });
});
