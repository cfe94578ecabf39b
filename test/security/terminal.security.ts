import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../packages/cli/test/bin.js";
import { inPty, programInPty } from "../../packages/cli/test/pty.js";
import { runCommand } from "./run-command.js";

/** Clears the screen, sets the title of the window, and reverses the text that follows. */
const attack = "shop\u001b[2J\u009b2J\u001b]0;taken over\u0007\u202e";
const sequences = ["\u001b[2J", "\u009b2J", "\u001b]0;taken over", "\u202e"];

/** Commands of the logs of GitHub Actions, Azure Pipelines and TeamCity. */
const logCommands = [
  "::add-path::/tmp",
  "##vso[task.prependpath]/tmp",
  "##teamcity[setParameter name='env.PATH']",
];

let service: Server;
let baseUrl: string;
let requests: string[];
beforeAll(async () => {
  await ensureBuilt();
  requests = [];
  service = createServer((request, response) => {
    requests.push(request.url ?? "");
    if (request.url?.includes("hostile.git")) {
      response.writeHead(403, { "content-type": "text/plain" });
      response.end(`${attack} ${logCommands.join(" ")}\r${logCommands.join("\n")}\n`);
      return;
    }
    const project = { id: "proj_1", type: "project", name: attack };
    const message = { code: "auth:forbidden", message: attack, hint: attack };
    const isError = request.url?.includes("forbidden") ?? false;
    response.writeHead(isError ? 403 : 200, { "content-type": "application/json" });
    const isList = !request.url?.includes("proj_1");
    const page = { data: [project], pagination: { nextCursor: null, hasMore: false } };
    response.end(JSON.stringify(isError ? { error: message } : isList ? page : { data: project }));
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  // A server that listens on a host has an address of this form.
  baseUrl = `http://127.0.0.1:${String((service.address() as AddressInfo).port)}`;
});
afterAll(() => {
  service.close();
});

const hasPty = spawnSync("script", ["--version"]).status === 0;

describe.skipIf(!hasPty)("text of a service on a terminal", () => {
  const env = (): NodeJS.ProcessEnv => ({ MGMT_BASE_URL: baseUrl, MGMT_TOKEN: "token", NO_PAGER: "1" });

  it("reaches the terminal from a program that prints it is, which shows that the next test can fail", async () => {
    const program = `fetch("${baseUrl}/v1/projects").then((r) => r.json()).then((b) => console.log(b.data[0].name))`;
    const { raw } = await programInPty([process.execPath, "-e", program], []);
    for (const sequence of sequences) expect(raw).toContain(sequence);
  });

  it.each(["table", "json", "yaml", "csv", "ndjson", "env", "name"])(
    "by a resource with --output %s",
    async (format) => {
      const { raw, status } = await inPty(
        ["projects", "get", "proj_1", "--output", format, "--debug"],
        [],
        env(),
      );
      expect({ status, raw }).toMatchObject({ status: 0, raw: expect.stringContaining("proj_1") });
      for (const sequence of sequences) expect(raw).not.toContain(sequence);
    },
  );

  it("contains no control sequence in a list, an error, a question, or an option of one", async () => {
    const list = await inPty(["projects", "list"], [], env());
    const error = await inPty(["projects", "get", "proj_forbidden"], [], env());
    const choice = await inPty(["projects", "get"], [{ when: /proj_1/, type: "\u0003" }], env());
    const question = await inPty(["projects", "delete", "proj_1"], [{ when: /Type/, type: "\u0003" }], env());
    for (const { raw, screen } of [list, error, choice, question]) {
      expect(screen).toContain("shop\\u001b[2J");
      for (const sequence of sequences) expect(raw).not.toContain(sequence);
    }
  });
});

describe("text of git and of the event of a CI job", () => {
  let folder: string;
  // This process answers it.
  const git = (...words: string[]): Promise<string> =>
    new Promise((resolve) => {
      const options = { cwd: folder, env: { PATH: process.env["PATH"], GIT_TERMINAL_PROMPT: "0" } };
      execFile("git", words, options, (_error, stdout, stderr) => resolve(stdout + stderr));
    });
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "mgmt-security-"));
    await git("init", "--quiet");
    await git("remote", "add", "origin", `${baseUrl}/hostile.git`);
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  const run = (line: string, env: NodeJS.ProcessEnv): ReturnType<typeof runCommand> =>
    runCommand(line, { cwd: folder, env: { MGMT_BASE_URL: baseUrl, MGMT_TOKEN: "token", ...env } });

  /** Lines that a system would carry out. Those of Azure Pipelines may begin anywhere. */
  const carriedOut = (text: string): string[] =>
    text.split(/[\r\n]/).filter((line) => /^\s*::[a-z-]+|##vso\[|##teamcity\[/.test(line));

  it("is printed by git as it is, which shows that the next test can fail", async () => {
    const said = await git("ls-remote", "origin");
    expect(said).toContain("\u001b[2J");
    expect(carriedOut(said)).not.toEqual([]);
  });

  it.each<[string, NodeJS.ProcessEnv]>([
    ["a terminal", {}],
    ["GitHub Actions", { GITHUB_ACTIONS: "true", GITHUB_REF: "refs/heads/a" }],
    ["Azure Pipelines", { TF_BUILD: "True", BUILD_SOURCEBRANCH: "refs/heads/a" }],
    ["TeamCity", { TEAMCITY_VERSION: "1" }],
  ])("controls neither the terminal nor the log where a remote answers: %s", async (_, env) => {
    for (const line of ["preview prune --project-id proj_1 --yes", "preview list --project-id proj_1"]) {
      const { stdout, stderr } = await run(`${line} --remote origin`, env);
      expect(stderr).toContain("git branches cannot be listed");
      for (const sequence of sequences) expect(stdout + stderr).not.toContain(sequence);
      expect(carriedOut(stdout + stderr)).toEqual([]);
    }
  });

  it.each<[string, NodeJS.ProcessEnv]>([
    ["a name", { GITLAB_CI: "true", CI_COMMIT_BRANCH: `${attack}\n${logCommands.join("\n")}` }],
    ["an option", { GITLAB_CI: "true", CI_COMMIT_BRANCH: "--upload-pack=touch-a" }],
    ["a tag", { TF_BUILD: "True", BUILD_SOURCEBRANCH: `refs/tags/${attack} ${logCommands.join(" ")}` }],
    ["the owner of a fork", { JENKINS_URL: "x", CHANGE_ID: "7", CHANGE_BRANCH: "a", CHANGE_FORK: attack }],
    ["an endless event", { GITHUB_ACTIONS: "true", GITHUB_HEAD_REF: "a", GITHUB_EVENT_PATH: "/dev/zero" }],
  ])("of a CI job sends nothing and controls nothing: %s", async (_, env) => {
    for (const line of ["preview up --project-id proj_1", "preview down --project-id proj_1 --yes"]) {
      requests = [];
      const { status, stdout, stderr } = await run(line, env);
      expect({ status, requests }, stderr).toEqual({ status: 3, requests: [] });
      for (const sequence of sequences) expect(stdout + stderr).not.toContain(sequence);
      expect(carriedOut(stdout + stderr)).toEqual([]);
    }
  });
});
