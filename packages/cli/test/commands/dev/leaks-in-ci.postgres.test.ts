import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { RunningServer } from "@mgmt/mock/server";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newFixture, operationLines } from "../../operation-lines.js";
import { definedCommands } from "../../program.js";
import type { Result } from "../../result.js";
import { inProcess } from "../../in-process.js";
import { type Session, startSession } from "../../terminal.js";
import { startRepository } from "../../repository.js";
import { openWorkplace, type Workplace } from "../../workplace.js";

/** CI with masks in its log, and without. */
const systems: [string, NodeJS.ProcessEnv][] = [
  ["GitHub Actions", { CI: "true", GITHUB_ACTIONS: "true" }],
  ["other CI", { CI: "true" }],
];

/** Fails if a password, token or upload URL of a service is in what a job shows, mask commands aside. */
const expectNoSecret = ({ stdout, stderr }: Result, passwords: readonly string[]): void => {
  const log = `${stderr}${stdout}`.replaceAll(/^::add-mask::.*$/gm, "");
  expect(passwords.length).toBeGreaterThan(0);
  expect(passwords.filter((password) => log.includes(password))).toEqual([]);
  expect(log).not.toMatch(/\bey\w+\.\w+\.[\w-]{20}|\/uploads\/\w+\/\w|:\/\/[^\s/@:]+:(?!\*+@)[^\s/@]+@/);
};

const passwordsIn = ({ engine }: RunningServer): string[] =>
  engine.rows.connections.list({}).flatMap(({ pass }) => pass ?? []);

describe.each(systems)("in %s, no secret is in the log of", (_, ci) => {
  let session: Session;
  beforeAll(async () => (session = await startSession()));
  afterAll(() => session.close());

  for (const [id, line] of Object.entries(operationLines)) {
    it(`the operation ${id}`, async () => {
      const fixture = await newFixture(session);
      const token = session.env["MGMT_TOKEN"] ?? "";
      const as: Session["as"] = (other, setup = {}) =>
        session.as(other, { ...setup, env: { ...ci, ...setup.env } });
      const result = await line({ ...fixture, mgmt: as(token), as });
      expectNoSecret(result, passwordsIn(session.server));
    });
  }
});

describe.each(systems)("in %s, no secret is in the log of", (_, ci) => {
  let workplace: Workplace;
  afterEach(() => workplace.close());

  it("any example of a command", async () => {
    workplace = await openWorkplace();
    startRepository(workplace);
    const commands = (await definedCommands()).filter(({ definition }) => definition === undefined);
    const lines = commands
      .flatMap(({ sections }) => sections)
      .flatMap(({ title, lines: all }) => (title === "Examples" ? all() : []))
      // They wait, or end what the others use.
      .filter(
        (line) =>
          line.startsWith("mgmt ") && !/^mgmt (?:dev|rehearse|agent-approvals|login|logout)\b/.test(line),
      );
    expect(lines.length).toBeGreaterThan(40);
    for (const line of lines) {
      const [words = "", file] = line.split(/ [<>|] /);
      const typed = [...words.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)]
        .map(([, double, single, plain]) => double ?? single ?? plain ?? "")
        .map((word) =>
          word.replaceAll(
            /\b([a-z]+_)8s2d4f6g1h3j5k7l9q0w2e4r\b/g,
            (id, prefix: string) => workplace.ids[prefix] ?? id,
          ),
        );
      const stdin = / < /.test(line) ? readFileSync(join(workplace.folder, file ?? ""), "utf8") : "";
      // Prints more, and nothing less.
      const result = await workplace.run([...typed.slice(1), "--debug"], { env: ci, stdin });
      expectNoSecret(result, passwordsIn(workplace.server));
    }
  });
});

it("mgmt dev prints no token or key in the log of CI without a profile, and hides a token where it can", async () => {
  const workplace = await openWorkplace();
  let signInKey = "";
  const dev = (env: NodeJS.ProcessEnv, flag = "--yes"): Promise<Result> =>
    inProcess({
      // The profiles file cannot be written.
      env: { MGMT_CONFIG_DIR: join(workplace.folder, "mgmt.yaml"), ...env },
      // Some CI systems have one.
      terminal: flag === "--yes",
      interruptWhen: (stdout) => {
        const [, path] = /^ {2}(\/\S+sign-in-key)$/m.exec(stdout) ?? [];
        if (path !== undefined) signInKey = readFileSync(path, "utf8").trim();
        return true;
      },
    })`dev --ephemeral --port 0 ${flag}`;
  const text = await dev({ CI: "true" });
  expect(text.stdout).toContain("export MGMT_TOKEN=********");
  expect(text.stdout + text.stderr).not.toMatch(/\bey\w+\.\w+\./);
  expect(signInKey).not.toBe("");
  expect(text.stdout + text.stderr).not.toContain(signInKey);
  const json = await dev({ CI: "true", GITHUB_ACTIONS: "true" }, "--output=json");
  const { token } = json.json as { token: string };
  expect(json.stderr.split("\n")).toContain(`::add-mask::${token}`);
  await workplace.close();
});
