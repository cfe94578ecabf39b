import { chmodSync, existsSync, mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { groups } from "../contract/generated/groups.js";
import { needsConfirmation } from "../run/examples.js";
import { getOverride } from "../contract/command-override.js";
import type { GeneratedCommand } from "../contract/generated-command.js";
import { outputFormats } from "../output/output-format.js";
import { buildExampleId } from "../command-line/example-id.js";
import { type CannedResponse, startCannedServer } from "../../test/canned-server.js";
import { temporaryFolder } from "../../test/folders.js";
import { runInProcess } from "../../test/in-process.js";
import type { Result } from "../../test/result.js";
import { useSession } from "../../test/terminal.js";

const root = temporaryFolder();
const session = useSession();
let folder: string;
let project: { id: string; databaseId: string };
let workspaceId: string;
beforeAll(async () => {
  const { id, database } = await session.server.engine.seed.project({ name: "shop" });
  project = { id, databaseId: database?.id ?? "" };
  workspaceId = session.server.engine.defaults.workspace.id;
});
beforeEach(() => {
  folder = mkdtempSync(join(root, "ci-"));
  writeFileSync(join(folder, "github-env"), "");
  writeFileSync(join(folder, "github-output"), "FIRST=1");
});

const github = (): NodeJS.ProcessEnv => ({
  CI: "true",
  GITHUB_ACTIONS: "true",
  GITHUB_ENV: join(folder, "github-env"),
  GITHUB_OUTPUT: join(folder, "github-output"),
});

/** Runs a command line in a job. */
const job = (env: NodeJS.ProcessEnv, line: readonly string[], stdin?: string): Promise<Result> =>
  runInProcess(line, {
    // Without git, which would be a process.
    env: { ...session.env, PATH: folder, ...env },
    cwd: folder,
    ...(stdin !== undefined && { stdin }),
  });

/** Returns every password and token that the service has. */
const passwords = async (): Promise<string[]> => {
  const { json } = await session.mgmt`connections list --all -o json --show-secrets`;
  return (json as { directConnection: { pass: string } | null }[]).flatMap(
    ({ directConnection }) => directConnection?.pass ?? [],
  );
};

/** Returns a log as GitHub Actions shows it: without the mask commands, and with the masks applied to what follows them. */
const renderJobLog = (text: string): string => {
  const masks: string[] = [];
  return text
    .split("\n")
    .flatMap((line) => {
      const [, mask] = /^::add-mask::(.+)$/.exec(line) ?? [];
      if (mask === undefined) return [masks.reduce((left, text) => left.replaceAll(text, "***"), line)];
      masks.push(mask.replaceAll("%0D", "\r").replaceAll("%0A", "\n").replaceAll("%25", "%"));
      masks.sort((left, right) => right.length - left.length);
      return [];
    })
    .join("\n");
};

const masksIn = (stderr: string): string[] =>
  [...stderr.matchAll(/^::add-mask::(.+)$/gm)].map(([, text = ""]) => text);

/** Fails if a password of the service is in what a job shows. */
const expectNoSecret = async ({ stdout, stderr }: Result): Promise<void> => {
  const log = renderJobLog(`${stderr}\n${stdout}`);
  const secrets = await passwords();
  expect(secrets.length).toBeGreaterThan(0);
  expect(secrets.filter((secret) => log.includes(secret))).toEqual([]);
};

const create = (...more: string[]): string[] => [
  ...["databases", "create", "--project-id", project.id, ...more],
];

describe("a command that creates credentials in CI", () => {
  it.each(outputFormats)("prints them masked with --output %s, and says how to get them", async (format) => {
    const result = await job({ CI: "true" }, create("-o", format));
    expect(result.status).toBe(0);
    await expectNoSecret(result);
    if (format === "name") return expect(result.stderr).toBe("");
    expect(result.stderr).toContain("--secret-file PATH");
    if (format === "table" || format === "json") expect(result.stdout).toContain("********");
    const [, id = ""] = /connections get (con_\w+)/.exec(result.stderr) ?? [];
    const later = await job({ CI: "true" }, ["connections", "get", id, "--secret-file", `later.${format}`]);
    expect(later.status).toBe(0);
    const { directConnection } = JSON.parse(readFileSync(join(folder, `later.${format}`), "utf8")) as {
      directConnection: { pass: string };
    };
    expect(await passwords()).toContain(directConnection.pass);
  });

  it.each(["CI", "TF_BUILD", "GITLAB_CI", "GITHUB_ACTIONS", "JENKINS_URL", "BUILDKITE", "TEAMCITY_VERSION"])(
    "masks them where %s is set",
    async (variable) => {
      const result = await job({ [variable]: "True" }, create("-o", "json"));
      await expectNoSecret(result);
      expect(result.errors.map(({ notice }) => notice)).toMatchObject([{ code: "secrets:masked" }]);
    },
  );

  it.each(["", "0", "false"])("prints them where CI is %j", async (value) => {
    const { json, stderr } = await job({ CI: value }, create("-o", "json"));
    expect(await passwords()).toContain((json as { connection: { pass: string } }).connection.pass);
    expect(stderr).toBe("");
  });

  it("prints them with --show-secrets, and masks them in the log of GitHub Actions first", async () => {
    for (const format of ["table", "json", "yaml", "csv", "ndjson", "env"]) {
      const result = await job(github(), create("-o", format, "--show-secrets"));
      expect(result.status).toBe(0);
      const printedSecrets = (await passwords()).filter((secret) => result.stdout.includes(secret));
      expect({ format, found: printedSecrets.length }).toMatchObject({
        found: format === "csv" ? 0 : expect.any(Number),
      });
      if (format !== "csv") expect(printedSecrets.length).toBeGreaterThan(0);
      expect(masksIn(result.stderr)).toEqual(expect.arrayContaining(printedSecrets));
      const url = /postgres(?:ql)?:\/\/[^\s"',]+/.exec(result.stdout)?.[0];
      if (url !== undefined) expect(masksIn(result.stderr)).toContain(url);
      await expectNoSecret(result);
      expect(result.stdout).not.toContain("::add-mask::");
    }
  });

  it("uses the command of Azure Pipelines there", async () => {
    const { json, stderr } = await job({ TF_BUILD: "True" }, create("-o", "json", "--show-secrets"));
    const { pass } = (json as { connection: { pass: string } }).connection;
    expect(stderr.split("\n")).toContain(`##vso[task.setsecret]${pass}`);
  });

  it("prints nothing for the log where it has no masks", async () => {
    const { stderr } = await job({ GITLAB_CI: "true", CI: "true" }, create("-o", "json", "--show-secrets"));
    expect(stderr).toBe("");
  });

  it("masks them in the results of --ndjson, projects create, ensure, rotate, and api", async () => {
    const { json } =
      await session.mgmt`databases connections create ${project.databaseId} --name web -o json`;
    const { id } = json as { id: string };
    const lines: [string[], string?][] = [
      [create("--ndjson", "-", "-o", "json"), '{"name":"a"}\n{"name":"b"}\n'],
      [create("--ndjson", "-", "-o", "ndjson"), '{"name":"c"}\n'],
      [["projects", "create", "more", "-o", "json"]],
      [["databases", "ensure", "--project-id", project.id, "--logical-id", "x", "-o", "json"]],
      [["databases", "ensure", "--project-id", project.id, "--logical-id", "x", "-o", "json"]],
      [["connections", "rotate", id, "--yes", "-o", "yaml"]],
      [["api", "POST", "connections", "-f", `databaseId=${project.databaseId}`, "-f", "name=a"]],
      [["api", "POST", `connections/${id}/rotate`, "-o", "json", "--include"]],
    ];
    for (const [line, stdin] of lines) {
      for (const env of [{ CI: "true" }, github()]) {
        const result = await job(env, line, stdin);
        expect({ line, status: result.status, stderr: result.stderr }).toMatchObject({ status: 0 });
        expect(result.stdout).toContain("********");
        expect(masksIn(result.stderr)).toEqual([]);
        await expectNoSecret(result);
      }
    }
  });
});

describe("a command that creates a secret that is shown only once", () => {
  const token = (...more: string[]): string[] => [
    ...["workspaces", "service-tokens", "create", workspaceId, "--name", "ci", ...more],
  ];
  const service = async (): Promise<string> => {
    const line = ["services", "create", "--project-id", project.id, "--display-name", "web", "-o", "json"];
    return ((await job({}, line)).json as { id: string }).id;
  };
  const writes = (): number => session.server.engine.requests.filter(({ method }) => method !== "GET").length;

  it.each([
    ["in CI", { CI: "true" }, ["-o", "json"]],
    ["in GitHub Actions", { GITHUB_ACTIONS: "true" }, []],
    ["with -o name", {}, ["-o", "name"]],
    ["with --fields id", {}, ["--fields", "id"]],
    ["with --fields without it", {}, ["--fields", "id,name", "-o", "json"]],
    ["with a query without it", {}, ["--query", "id"]],
    ["with a query that fails", {}, ["--query", "abs(name)", "-o", "json"]],
    ["with --ndjson in a format without it", {}, ["--ndjson", "-", "-o", "csv"]],
  ])("refuses %s before it sends anything", async (_, env, more) => {
    const before = writes();
    const { status, stdout, stderr } = await job(env, token(...more), '{"name":"a"}\n');
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain("secrets:not_shown");
    expect(stderr).toContain("--secret-file PATH");
    expect(writes()).toBe(before);
  });

  it.each([
    [["--query", "value"]],
    [["--fields", "id,value"]],
    [["--query", "join('=', ['TOKEN', value])", "-o", "name"]],
    [["-o", "csv"]],
    [["-o", "env"]],
    [["-o", "name", "--secret-file", "token.json"]],
  ])("runs with %j", async (more) => {
    const { status, stdout } = await job({}, token(...more));
    expect(status).toBe(0);
    const output = more.includes("--secret-file") ? readFileSync(join(folder, "token.json"), "utf8") : stdout;
    expect(output).toMatch(/ey\w+\.\w+\.[\w-]+/);
  });

  it("refuses in mgmt api as well", async () => {
    const line = ["api", "POST", `workspaces/${workspaceId}/service-tokens`, "-f", "name=a"];
    const before = writes();
    for (const [env, more] of [
      [{ CI: "true" }, []],
      [{}, ["-o", "name"]],
      [{}, ["--query", "data.id"]],
    ] as const) {
      const { status, stderr } = await job(env, [...line, ...more]);
      expect({ more, status }).toEqual({ more, status: 2 });
      expect(stderr).toContain("secrets:not_shown");
    }
    expect(writes()).toBe(before);
    expect((await job({}, [...line, "--query", "data.value"])).stdout).toMatch(/^ey/);
  });

  it("runs with -o name if the response has no secret", async () => {
    const id = await service();
    expect((await job({}, ["services", "deployments", "create", id, "-o", "name"])).status).toBe(2);
    const skipped = await job({ CI: "true" }, [
      "services",
      "deployments",
      "create",
      id,
      "--skip-code-upload",
    ]);
    expect(skipped.stderr).not.toContain("secrets:not_shown");
  });

  it("writes it into a file in CI", async () => {
    const { status, stdout } = await job({ CI: "true" }, token("-o", "json", "--secret-file", "token.json"));
    expect(status).toBe(0);
    expect(stdout).toContain('"value": "********"');
    const file = join(folder, "token.json");
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ value: expect.stringMatching(/^ey/) });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });
});

describe("--github-env and --github-output", () => {
  const heredoc = (name: string): RegExp => new RegExp(`(?:^|\\n)${name}<<(\\S+)\\n([^\\n]*)\\n\\1\\n`);

  it.each([
    ["a project's database", () => ["projects", "create", "with-database"], /^postgres:/],
    [
      "a connection",
      () => ["databases", "connections", "create", project.databaseId, "--name", "x"],
      /^postgres:/,
    ],
    ["a token", () => ["workspaces", "service-tokens", "create", workspaceId, "--name", "x"], /^ey/],
    ["the token in use", () => ["auth", "token"], /^ey/],
    ["a preview", () => ["preview", "up", "--project-id", project.id, "--branch", "a"], /^postgresql:/],
    [
      "an existing database",
      () => ["databases", "ensure", "--project-id", project.id, "--logical-id", "same"],
      /^postgres/,
    ],
    [
      "an existing database again",
      () => ["databases", "ensure", "--project-id", project.id, "--logical-id", "same"],
      /^postgres/,
    ],
  ])("set a variable to the secret of %s", async (_, line, pattern) => {
    const result = await job(github(), [...line(), "--github-env", "VALUE"]);
    expect({ stderr: result.stderr, status: result.status }).toMatchObject({ status: 0 });
    const [, , value = ""] = heredoc("VALUE").exec(readFileSync(join(folder, "github-env"), "utf8")) ?? [];
    expect(value).toMatch(pattern);
    expect(masksIn(result.stderr)).toContain(value);
    expect(renderJobLog(result.stdout + result.stderr)).not.toContain(value);
  });

  it("print each mask line once", async () => {
    for (const line of [
      create("--github-env", "A", "--github-output", "b", "--secret-file", "s.json"),
      ["preview", "up", "--project-id", project.id, "--branch", "b", "--secret-file", "preview.json"],
      ["connection-string", project.databaseId, "--github-env", "A", "--pooled"],
    ]) {
      const { status, stderr } = await job(github(), line);
      const masks = masksIn(stderr);
      expect({ status, some: masks.length > 0 }).toEqual({ status: 0, some: true });
      expect(masks).toEqual([...new Set(masks)]);
    }
  });

  it("leave no --secret-file behind if a variable is refused", async () => {
    const { status } = await job({}, create("--github-env", "A", "--secret-file", "s.json"));
    expect(status).toBe(2);
    expect(existsSync(join(folder, "s.json"))).toBe(false);
  });

  it("fail if the result has no secret, and print the result", async () => {
    const line = ["projects", "create", "bare", "--no-create-database", "--github-env", "A", "-o", "json"];
    const { status, json, errors } = await job(github(), line);
    expect(status).toBe(1);
    expect(json).toMatchObject({ name: "bare" });
    expect(errors.at(-1)).toMatchObject({ error: { code: "variable:no_secret" } });
  });
});

describe("--gitlab-dotenv", () => {
  it.skipIf(process.platform === "win32")(
    "says how to restrict a file that other accounts can read",
    async () => {
      const file = join(folder, "open.env");
      writeFileSync(file, "A=1\n");
      chmodSync(file, 0o644);
      const { errors } = await job({ CI: "true" }, create("--gitlab-dotenv", "open.env", "-o", "json"));
      const message = expect.stringMatching(/mode is 644\. Unless they should, run: chmod 600 \S*open\.env$/);
      expect(errors).toContainEqual({ warning: { code: "env:open_mode", message, file, mode: "644" } });
      expect(statSync(file).mode & 0o777).toBe(0o644);
      const system = await job(github(), create("--github-env", "A", "-o", "json"));
      expect(system.stderr).not.toContain("env:open_mode");
    },
  );
});

describe("--secret-file -", () => {
  it("prints the whole result as a line of JSON", async () => {
    const { status, stdout } = await job({ CI: "true" }, create("--secret-file", "-"));
    expect(status).toBe(0);
    expect(stdout.trim().split("\n")).toHaveLength(1);
    const { connection } = JSON.parse(stdout) as { connection: { pass: string } };
    expect(await passwords()).toContain(connection.pass);
    expect(existsSync(join(folder, "-"))).toBe(false);
  });
});

describe("mgmt auth token", () => {
  it("refuses in CI unless the token may be printed", async () => {
    const token = session.env["MGMT_TOKEN"] ?? "";
    for (const env of [{ CI: "true" }, github()]) {
      const refused = await job(env, ["auth", "token"]);
      expect([refused.status, refused.stdout]).toEqual([2, ""]);
      expect(refused.stderr).toContain("secrets:in_log");
      expect(refused.stderr).toContain("--show-secrets");
    }
    const captured = await job(github(), ["auth", "token", "--show-secrets"]);
    expect(captured.stdout).toBe(`${token}\n`);
    expect(masksIn(captured.stderr)).toContain(token);
    expect(
      (await job({ CI: "true" }, ["auth", "token", "--secret-file", "t", "-o", "json"])).json,
    ).toMatchObject({
      token: "********",
    });
    expect(readFileSync(join(folder, "t"), "utf8")).toContain(token);
  });
});

describe("mgmt preview up", () => {
  it("masks the connection string in CI, and prints it with --show-secrets", async () => {
    const line = ["preview", "up", "--project-id", project.id, "--branch", "b"];
    for (const more of [[], ["-o", "json"]]) {
      const result = await job({ CI: "true" }, [...line, ...more]);
      expect(result.status).toBe(0);
      expect(result.stdout).toContain("********");
      await expectNoSecret(result);
    }
    const { stdout } = await job({ CI: "true" }, [...line, "--show-secrets"]);
    expect(stdout).toMatch(/^postgresql:\/\/\S+\n$/);
  });
});

describe("masks of the log", () => {
  it.each([
    [{ GITHUB_ACTIONS: "true" }, "::add-mask::abc%250Adef%2525"],
    [{ TF_BUILD: "True" }, "##vso[task.setsecret]abc%AZP250Adef%AZP2525"],
  ])("are escaped as the system of %j reads them", async (env, line) => {
    const own = { ...env, MGMT_TOKEN: "abc%0Adef%25" };
    const { stdout, stderr } = await job(own, ["auth", "token", "--show-secrets"]);
    expect(stdout).toBe("abc%0Adef%25\n");
    expect(stderr.split("\n")).toContain(line);
  });

  const secret = `p%/"'\nsecond line`;
  let response: CannedResponse;
  let server: Awaited<ReturnType<typeof startCannedServer>>;
  let creates = false;
  beforeAll(async () => {
    server = await startCannedServer(({ method }) =>
      // Nothing is known about what a new resource belongs to.
      method === "GET" && creates
        ? { status: 404, body: { error: { code: "project:not_found" } } }
        : response,
    );
  });
  afterAll(() => server.close());

  const valueAtPaths = (paths: readonly (readonly string[])[], leaf: string): unknown => {
    if (paths.some(({ length }) => length === 0)) return leaf;
    const names = [...new Set(paths.map(([name = ""]) => name))];
    const inside = (name: string): unknown =>
      valueAtPaths(
        paths.flatMap(([first, ...rest]) => (first === name ? [rest] : [])),
        leaf,
      );
    if (!names.includes("*")) return Object.fromEntries(names.map((name) => [name, inside(name)]));
    const item = inside("*");
    return item === leaf ? { KEY: item } : [item];
  };

  /** Whether the format `name` would lose the secret. */
  const isLost = ({ secrets }: GeneratedCommand): boolean =>
    secrets?.issued === true && !secrets.paths.some((path) => path.endsWith("pass"));

  const definitions = async (): Promise<GeneratedCommand[]> =>
    (await Promise.all(groups.map(({ load }) => load()))).flat().filter(({ secrets }) => secrets);

  it("have every form in which a format prints a secret, line by line", async () => {
    for (const definition of await definitions()) {
      const paths = definition.secrets?.paths.map((path) => path.split(".")) ?? [];
      const resource = { id: "res_1", ...(valueAtPaths(paths, secret) as object) };
      response = {
        body:
          definition.envelope === "list"
            ? { data: [resource], pagination: { nextCursor: null, hasMore: false } }
            : { data: resource },
      };
      creates = definition.method !== "GET";
      const [body] = definition.body?.examples ?? [];
      const line = [
        ...definition.commandPath,
        ...definition.arguments.map(({ prefix }) => buildExampleId(prefix)),
        ...definition.query
          .filter(({ required }) => required === "always")
          .flatMap(({ flag, prefix }) => [`--${flag}`, buildExampleId(prefix)]),
        ...(needsConfirmation(definition, getOverride(definition.id)) ? ["--yes"] : []),
        ...(body === undefined ? [] : ["--body", JSON.stringify(body)]),
        "--show-secrets",
      ];
      for (const format of outputFormats) {
        const env = { ...server.env, CI: "true", GITHUB_ACTIONS: "true" };
        const { status, stdout, stderr } = await runInProcess([...line, "-o", format], { env });
        expect({ line, format, stderr, status }).toMatchObject({
          status:
            format === "env" && definition.envelope === "list"
              ? 2
              : format === "name" && isLost(definition)
                ? 2
                : 0,
        });
        const log = renderJobLog(`${stderr}\n${stdout}`);
        expect({ line, format, log, leaks: /p%|second/.test(log) }).toMatchObject({ leaks: false });
      }
    }
  });
});
