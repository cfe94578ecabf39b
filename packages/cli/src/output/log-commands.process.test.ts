import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { toPrintable } from "./printable.js";
import { bin, ensureBuilt } from "../../test/bin.js";
import { startCannedServer } from "../../test/canned-server.js";
import { noConfigDir, temporaryFolder } from "../../test/folders.js";
import { runInProcess } from "../../test/in-process.js";

/** Names that an attacker gives to have the log of a CI system carry them out. */
const azure = "##vso[task.setvariable variable=NODE_OPTIONS]--require ./own.js";
const github = "::stop-commands::x";
const olderGithub = "a ##[stop-commands]x";
const teamcity = "##teamcity[setParameter name='env.NODE_OPTIONS' value='--require ./own.js']";
const names = [
  teamcity,
  azure,
  azure.replace("vso", "VSO"),
  github,
  ` ${github}`,
  olderGithub,
  `#${olderGithub}`,
];

/** What a CI system carries out. */
const carriedOut = /##(?:vso|teamcity)?\[|^[\s\u0085]*::[a-z-]+(?: .*)?::/im;

const root = temporaryFolder();
let name = "";
let server: Awaited<ReturnType<typeof startCannedServer>>;
beforeAll(async () => {
  server = await startCannedServer(({ url = "" }) => {
    if (url.includes("/proj_1")) return { body: { data: { id: "proj_1", type: "project", name } } };
    if (!url.includes("/proj_missing"))
      return { body: { data: [], pagination: { nextCursor: null, hasMore: false } } };
    return { status: 404, body: { error: { code: "not_found", message: name, hint: name } } };
  });
});
afterAll(() => server.close());

const run = (words: readonly string[], env: NodeJS.ProcessEnv = { CI: "true", TF_BUILD: "True" }) =>
  runInProcess(words, { env: { ...server.env, PATH: process.env["PATH"], ...env }, terminal: false });

describe.each(names)("the name %s", (each) => {
  it.each([
    ["table", []],
    ["table", ["--fields", "name"]],
    ["json", []],
    ["ndjson", []],
    ["yaml", []],
    ["yaml", ["--query", "name"]],
    ["name", ["--query", "name"]],
    ["csv", []],
    ["csv", ["--fields", "name"]],
    ["csv", ["--query", "[@]"]],
    ["env", []],
    ["table", ["--query", "name"]],
    ["table", ["--jq", ".name"]],
  ])("is not carried out by the log of a job in a result with --output %s %j", async (format, flags) => {
    name = each;
    const { status, stdout } = await run(["projects", "get", "proj_1", "-o", format, ...flags]);
    expect(status).toBe(0);
    expect(stdout).toMatch(/stop-commands|task\.setvariable|setParameter/);
    expect(stdout).not.toMatch(carriedOut);
  });

  it("is the same for a program that reads JSON or YAML", async () => {
    name = each;
    const json = await run(["projects", "get", "proj_1", "-o", "json"]);
    expect(JSON.parse(json.stdout)).toMatchObject({ name: each });
    const yaml = await run(["projects", "get", "proj_1", "-o", "yaml"]);
    expect(parse(yaml.stdout)).toMatchObject({ name: each });
  });

  it.each(["table", "json"])("is not carried out in an error with --output %s", async (format) => {
    name = each;
    for (const id of ["proj_missing", each]) {
      const { status, stderr } = await run(["projects", "get", id, "-o", format]);
      expect(status).not.toBe(0);
      expect(stderr).not.toMatch(carriedOut);
    }
  });
});

const multiline = `first\n${github}\r\u0085${github}\n${azure}`;

describe.each([...names, multiline, `\u0085${github}`])(
  "where a program may read the result, the name %j",
  (each) => {
    it.each([
      ["table", ["--jq", ".name"]],
      ["csv", []],
    ])("is escaped with --output %s %j, and a notice says how to get it unchanged", async (format, flags) => {
      name = each;
      const line = ["projects", "get", "proj_1", "-o", format, ...flags];
      for (const ci of [{ GITHUB_ACTIONS: "true" }, { TF_BUILD: "True" }, { TEAMCITY_VERSION: "2025.11" }]) {
        const { stdout, stderr } = await run(line, ci);
        expect(stdout).not.toMatch(carriedOut);
        const isChanged = !stdout.includes(each.replaceAll('"', '""'));
        expect(stderr.includes("Redirect the output to a file")).toBe(isChanged);
        expect(stderr).not.toMatch(carriedOut);
      }
      expect((await run(line, { CI: "true" })).stdout).toContain(each.trim());
    });

    it("is the same for a shell that reads --output env", async () => {
      name = each;
      const { stdout, stderr } = await run(["projects", "get", "proj_1", "-o", "env"]);
      expect(stdout).not.toMatch(carriedOut);
      expect(stderr).toBe("");
      const script = `${stdout}printf %s "$PROJECT_NAME"`;
      expect(execFileSync("sh", ["-c", script], { encoding: "utf8" })).toBe(each);
    });
  },
);

it.each([azure, multiline])("a result in a file has the name %j unchanged", async (each) => {
  name = each;
  await ensureBuilt();
  const file = join(root, "result");
  for (const [flags, text] of [
    [["--jq", ".name"], `${each}\n`],
    [["-o", "csv", "--fields", "name"], undefined],
  ] as const) {
    const words = [process.execPath, bin, "projects", "get", "proj_1", ...flags];
    const env = { ...process.env, ...server.env, GITHUB_ACTIONS: "true", MGMT_CONFIG_DIR: noConfigDir };
    // The service runs in this process, which must not wait.
    const child = spawn("sh", ["-c", '"$@" > "$0"', file, ...words], { env, stdio: "pipe" });
    await once(child, "close");
    const written = readFileSync(file, "utf8");
    if (text === undefined) expect(written).toContain(each.trim());
    else expect(written).toBe(text);
  }
});

it("quotes the first cell of a line of CSV that starts as a command does, which programs read unchanged", async () => {
  name = github;
  const { stdout, stderr } = await run(["projects", "get", "proj_1", "-o", "csv", "--fields", "name,id"]);
  expect({ stdout, stderr }).toEqual({ stdout: `name,id\n"${github}",proj_1\n`, stderr: "" });
});

it("leaves text that only looks like a command as it is", () => {
  for (const text of ["::1", "a::b::c", "# heading", "## [link]", "::", "std::move(x)"]) {
    expect(toPrintable(text)).toBe(text);
  }
});
