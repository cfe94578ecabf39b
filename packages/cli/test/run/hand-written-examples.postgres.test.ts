import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { definedCommands } from "../program.js";
import type { Result } from "../result.js";
import { startRepository } from "../repository.js";
import { openWorkplace, type Workplace } from "../workplace.js";

let workplace: Workplace;
beforeAll(async () => {
  workplace = await openWorkplace();
});
afterEach(() => workplace.reset());
afterAll(() => workplace.close());

/** Splits a line as a shell does, with quotes. */
const shellWords = (line: string): string[] =>
  [...line.matchAll(/(?:"([^"]*)"|'([^']*)'|(\S+))(?=\s|$)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  );

/** Replaces what is different on every machine: ids, addresses and variables. */
const filled = (text: string): string =>
  text
    .replaceAll(/\b([a-z]+_)8s2d4f6g1h3j5k7l9q0w2e4r\b/g, (id, prefix: string) => workplace.ids[prefix] ?? id)
    .replaceAll(/https:\/\/(api|auth)\.example\.com/g, workplace.server.baseUrl)
    .replaceAll("$GITHUB_ENV", workplace.env["GITHUB_ENV"] ?? "");

/** Runs the `mgmt` command in an example, which may be redirected or part of another command. */
const run = (example: string, env: NodeJS.ProcessEnv = {}): Promise<Result> => {
  const [, line = ""] = /(?:^|\()mgmt ((?:"[^"]*"|'[^']*'|[^"'|<>)])*)/.exec(example) ?? [];
  const [, input] = / < (\S+)$/.exec(example) ?? [];
  const stdin = input === undefined ? {} : { stdin: readFileSync(join(workplace.folder, input), "utf8") };
  return workplace.run(shellWords(filled(line)), { ...stdin, env });
};

const commands = (await definedCommands()).filter(({ definition }) => definition === undefined);
const examples = commands.flatMap(({ line, sections, commands: inner }) => {
  const found = sections.filter(({ title }) => title === "Examples").flatMap(({ lines }) => lines());
  if (inner.length === 0) expect(found, line).not.toEqual([]);
  return found;
});
/**
 * Lines that the tests further below run, one that test/credentials/keyring runs where there is a keyring, and those that connect to a
 * database, as commands/preview/setup, commands/db, commands/query, commands/serve, and test/test-databases do, or ask before they change a file, as
 * commands/mcp-install does. A period until now is after the time of this service: commands/usage has one.
 */
const special =
  /^mgmt (dev( --|$)|run --fresh|serve(?! schema)|rehearse|agent-approvals|login --store keyring|preview .*--setup|db (?:seed|restore|import|copy)|query|usage .*--since|mcp install (?!.*--(?:yes|dry-run|remove)))/;

/** Creates a project with a database, and recovers from a fault. */
const provision = `
const call = async (method, path, body) => {
  for (;;) {
    const response = await fetch(process.env.MGMT_BASE_URL + path, {
      method,
      headers: { authorization: "Bearer " + process.env.MGMT_TOKEN, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    }).catch(() => ({ status: 503 }));
    if (response.status < 500) return response.json();
  }
};
(async () => {
  await call("POST", "/v1/projects", { logicalId: "made", name: "made", createDatabase: false });
  const { data: [project] } = await call("GET", "/v1/projects?logicalId=made");
  await call("POST", "/v1/databases", { projectId: project.id, logicalId: "made", name: "made" });
})();
`;

describe("the examples of hand-written commands", () => {
  const ordinary = [...new Set(examples)].filter((example) => !special.test(example));
  it.each(ordinary)("work: %s", async (example) => {
    if (example.startsWith("mgmt preview")) startRepository(workplace);
    if (/^mgmt preview (?:reset|diff)/.test(example)) await run("mgmt preview up");
    const { status, stderr, stdout } = await run(example);
    expect({ status, stderr, stdout }).toMatchObject({ status: 0 });
    const isPassedOn = /\(mgmt | [>|] /.test(example);
    if (isPassedOn) expect(stdout).not.toBe("");
  });

  it.each(examples.filter((example) => example.startsWith("mgmt agent-approvals")))(
    "work: %s",
    async (example) => {
      await run("mgmt dev approvals approve apr_8s2d4f6g1h3j5k7l9q0w2e4r");
      const env = { MGMT_BASE_URL: workplace.server.baseUrl, MGMT_TOKEN: workplace.agentToken };
      expect(await run(example, env)).toMatchObject({ status: 0 });
    },
  );

  // Only the port that they end with keeps them from running.
  it.each(examples.filter((example) => /^mgmt dev( --|$)/.test(example)))(
    "are accepted: %s",
    async (example) => {
      const state = { XDG_STATE_HOME: join(workplace.folder, "state") };
      const { status, stderr } = await run(
        `${example} --port ${new URL(workplace.server.baseUrl).port}`,
        state,
      );
      expect({ status, stderr }).toMatchObject({
        status: 1,
        stderr: expect.stringContaining("platform:port_taken"),
      });
    },
  );

  it.each(examples.filter((example) => example.startsWith("mgmt rehearse")))("work: %s", async (example) => {
    writeFileSync(join(workplace.folder, "provision.js"), provision);
    writeFileSync(join(workplace.folder, "provision.sh"), "#!/bin/sh\nexec node provision.js\n");
    chmodSync(join(workplace.folder, "provision.sh"), 0o755);
    for (const file of ["mgmt.yaml", "shop.yaml"])
      writeFileSync(join(workplace.folder, file), "version: 1\n");
    expect(await run(example)).toMatchObject({ status: 0 });
  });
});
