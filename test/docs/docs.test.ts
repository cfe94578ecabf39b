import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { promisify } from "node:util";
import { transform } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse as parseYaml } from "yaml";
import { root } from "../../scripts/generate/contract/contract.js";
import { packageFolders } from "../../scripts/packages.mjs";
import { type Block, blocksOf, pages } from "./markdown.js";

/**
 * Runs every code block of the docs against the built packages. The fence says how: `sh serve` starts the platform, `sh run`
 * and `ts run` run against it, `ts test` is a vitest file, `ts` is only compiled (as all TypeScript blocks are), and `sh root`
 * runs a script of this repository that has a test of its own. `npm run test:full -- strangers` follows whole pages: it also runs `sh install`,
 * and `sh page`, which needs the files of its page, and compares what is printed with `text`. The scripts of `sh example` are those of
 * the example, which `npm run test:full -- matrix` runs, too.
 * The command reference is generated from the help of the commands, which the CLI's own tests check.
 */
const blocks = pages.filter((page) => !page.startsWith("docs/cli/")).flatMap(blocksOf);
const blocksFor = (language: string, use: string): Block[] =>
  blocks.filter((block) => block.language === language && block.use === use);

const run = promisify(execFile);
const scratch = join(root, "test/docs/.blocks");
const fileOf = ({ where }: Block, extension: string): string =>
  join(scratch, `${where.replaceAll(/\W+/g, "-")}${extension}`);
const write = (block: Block, extension: string): string => {
  const file = fileOf(block, extension);
  writeFileSync(file, block.text);
  return file;
};

interface Ready {
  baseUrl: string;
  token: string;
}
let platform: ChildProcess | undefined;
let environment: NodeJS.ProcessEnv;

/** Runs the `sh serve` block of the README on a free port, with data that is discarded. */
const serve = async (block: Block): Promise<Ready> => {
  const [, , command, ...rest] = block.text.trim().split(" ");
  expect(command).toBe("dev");
  const flags = rest.map((flag) => (/^\d+$/.test(flag) ? "0" : flag));
  const program = join(root, "packages/cli/dist/mgmt.js");
  platform = spawn(process.execPath, [program, "dev", ...flags, "--ephemeral", "--output", "json"], {
    stdio: ["ignore", "pipe", "inherit"],
    // Keeps the profile that it registers apart from those of the user who runs the tests.
    env: { ...process.env, MGMT_CONFIG_DIR: join(scratch, "config") },
  });
  return new Promise((resolve, reject) => {
    platform?.stdout?.once("data", (line: Buffer) => resolve(JSON.parse(String(line)) as Ready));
    platform?.once("exit", (code) => reject(new Error(`mgmt dev ended with ${code}`)));
  });
};

interface TestReport {
  testResults: { name: string; status: string; message: string; assertionResults: Assertion[] }[];
}
interface Assertion {
  fullName: string;
  status: string;
  failureMessages: string[];
}

/** Runs all `ts test` blocks in one vitest process, which costs far less than one process per block. */
const runTestBlocks = async (): Promise<TestReport> => {
  const report = join(scratch, "report.json");
  for (const block of blocksFor("ts", "test")) write(block, ".test.ts");
  // In one worker, which loads the packages once for all blocks.
  const workers = ["--maxWorkers", "1", "--no-isolate"];
  const flags = ["--root", scratch, "--reporter", "json", "--outputFile", report, ...workers];
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  await run(process.execPath, [vitest, "run", ...flags], { cwd: scratch }).catch(() => undefined);
  // Written by vitest.
  return JSON.parse(readFileSync(report, "utf8")) as TestReport;
};

/**
 * Runs programs one after the other, and writes how each ended: null, or its error. In one process, which loads the packages once for
 * all blocks. It ends by itself, unless a program leaves something open.
 */
const runner = `
import { writeFileSync } from "node:fs";
const [report, ...programs] = process.argv.splice(1);
const outcomes = {};
for (const program of programs) {
  outcomes[program] = await import(program).then(() => null, (error) => error.stack);
  if (process.exitCode) outcomes[program] ??= "It set the exit status " + process.exitCode;
  process.exitCode = 0;
  writeFileSync(report, JSON.stringify(outcomes));
}
`;

interface ProgramReport {
  /** By file. */
  outcomes: Record<string, string | null>;
  /** Why the process failed. */
  failure: string | null;
}

/** Runs all `ts run` blocks. */
const runPrograms = async (): Promise<ProgramReport> => {
  const programs = blocksFor("ts", "run").map(async (block) => {
    const { code } = await transform(block.text, { loader: "ts", format: "esm" });
    return write({ ...block, text: code }, ".mjs");
  });
  const report = join(scratch, "programs.json");
  writeFileSync(report, "{}");
  const line = ["--input-type=module", "--eval", runner, "--", report, ...(await Promise.all(programs))];
  const options = { cwd: scratch, env: environment, timeout: 100_000 };
  const failure = await run(process.execPath, line, options).then(
    () => null,
    (error: unknown) => String(error),
  );
  // Written by the runner.
  return { outcomes: JSON.parse(readFileSync(report, "utf8")) as ProgramReport["outcomes"], failure };
};

/** Starts the command as `npx @mgmt/cli` does. The start of npm takes longer than most commands. */
const npx = `#!/bin/sh
[ "$1" = @mgmt/cli ] || exit 127
shift
exec mgmt "$@"
`;

/** What blocks make with `mktemp`, such as env files with connection strings. */
let temporary: string;

beforeAll(async () => {
  temporary = mkdtempSync(join(tmpdir(), "mgmt-docs-"));
  // The account of Postgres enters it.
  chmodSync(temporary, 0o755);
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  mkdirSync(join(scratch, "programs"));
  writeFileSync(join(scratch, "programs/npx"), npx, { mode: 0o755 });
  // Without this file, vitest would use this repository's configuration, which resolves packages to their sources.
  writeFileSync(join(scratch, "vitest.config.mjs"), "export default {};\n");
  const [serving] = blocksFor("sh", "serve");
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
afterAll(async () => {
  // It removes its profile before it exits.
  const ended = platform && once(platform, "exit");
  platform?.kill("SIGTERM");
  await ended;
  rmSync(scratch, { recursive: true, force: true });
  rmSync(temporary, { recursive: true, force: true });
});

describe("the code blocks of the docs", { timeout: 120_000 }, () => {
  it("all have a kind that a test runs", () => {
    const known = ["sh install", "sh root", "sh serve", "sh run", "ts", "ts run", "ts test", "yaml", "text"];
    // Tests of the mock, of the examples, of whole pages, of the standalone program, of recipes, and of the service for a team run these.
    known.push(
      "sh page",
      "js",
      "html",
      "json seed",
      "bash mock",
      "python mock",
      "go mock",
      "sh example",
      "sh standalone",
      "sh recipe",
      "sh service",
      "ts recipe",
      "diff recipe",
      // How clients of `mgmt mcp` start it, which test/mcp does.
      "sh client",
      "json client",
      // A diagram, which GitHub draws.
      "mermaid",
    );
    const others = blocks.filter(({ language, use }) => !known.includes(`${language} ${use}`.trim()));
    expect(others.map(({ where, language }) => `${where} ${language}`)).toEqual([]);
  });

  it("name scripts of this repository that exist", async () => {
    const manifest = (await import("../../package.json")) as { scripts: Record<string, string> };
    for (const { text, where } of blocksFor("sh", "root")) {
      const scripts = [...text.matchAll(/npm (?:run )?([\w:-]+)/g)].map(([, name = ""]) => name);
      for (const name of scripts.filter((word) => !["install", "pack"].includes(word))) {
        expect(Object.keys(manifest.scripts), where).toContain(name);
      }
    }
  });

  it.each(blocksFor("sh", "install"))(
    "install packages of this repository that exist: $where",
    ({ text }) => {
      const published = packageFolders.map((name) => `@mgmt/${name}`);
      for (const line of text.trim().split("\n")) {
        const [npm, install, ...words] = line.replace(/ +#.*/, "").split(" ");
        expect([npm, install]).toEqual(["npm", "install"]);
        for (const word of words.filter((each) => each.startsWith("@mgmt/")))
          expect(published).toContain(word);
      }
    },
  );

  it.each(blocksFor("yaml", ""))("parse as YAML: $where", ({ text }) => {
    expect(parseYaml(text)).toEqual(expect.any(Object));
  });

  it.concurrent.each(blocksFor("sh", "run"))("run in a shell: $where", async ({ text, where }) => {
    // Like a user's second terminal, the shell has only the profile that `mgmt dev` registered.
    const { MGMT_BASE_URL: baseUrl = "", MGMT_TOKEN: _, ...env } = environment;
    const script = text.replaceAll("http://127.0.0.1:4300", baseUrl);
    const inCi = /^docs\/(?:quickstart|guides)\/ci\.md/.test(where);
    // The blocks of the README use that of npm.
    const path = where.startsWith("README.md") ? env["PATH"] : `${join(scratch, "programs")}:${env["PATH"]}`;
    const job = { ...env, PATH: path, TMPDIR: temporary, CI: inCi ? "true" : "", GITHUB_ACTIONS: "" };
    const line = ["-euo", "pipefail", "-c", script];
    const { stdout, stderr } = await run("bash", line, { cwd: scratch, env: job });
    // A password in a connection string, or a token.
    if (inCi) expect(stdout + stderr).not.toMatch(/:\/\/[^\s/@]+:[^\s/@]+@|\bey\w+\.\w+\.\w/);
  });

  it.concurrent("compile against the built declarations", async () => {
    const programs = [...blocksFor("ts", ""), ...blocksFor("ts", "run")].map((block) => write(block, ".ts"));
    const tests = blocksFor("ts", "test").map((block) => write(block, ".test.ts"));
    const config = {
      extends: "../../../tsconfig.json",
      compilerOptions: { paths: {} },
      files: [...programs, ...tests].map((file) => basename(file)),
      include: [],
    };
    writeFileSync(join(scratch, "tsconfig.json"), JSON.stringify(config));
    const compiler = join(root, "node_modules/@typescript/native/bin/tsc");
    const printed = await run(process.execPath, [compiler, "--noEmit", "-p", scratch], { cwd: root }).then(
      ({ stdout }) => stdout,
      (error: { stdout?: string }) => error.stdout ?? String(error),
    );
    expect(printed).toBe("");
  });

  describe("that are programs", () => {
    let report: ProgramReport;
    beforeAll(async () => {
      report = await runPrograms();
    });

    it.each(blocksFor("ts", "run"))("run: $where", (block) => {
      expect(report.outcomes).toHaveProperty([fileOf(block, ".mjs")], null);
    });

    it("end, and leave nothing open", () => {
      expect(report.failure).toBeNull();
    });
  });

  describe("that are tests", () => {
    let report: TestReport;
    beforeAll(async () => {
      report = await runTestBlocks();
    });

    it.each(blocksFor("ts", "test"))("pass: $where", (block) => {
      const file = fileOf(block, ".test.ts");
      const result = report.testResults.find(({ name }) => name === file);
      const failures = result?.assertionResults.filter(({ status }) => status !== "passed");
      expect({ status: result?.status, message: result?.message, failures }).toEqual({
        status: "passed",
        message: "",
        failures: [],
      });
      expect(result?.assertionResults.length).toBeGreaterThan(0);
    });
  });
});
