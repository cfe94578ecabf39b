import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command, type CommanderError } from "commander";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/folders.js";
import { inProcess, runInProcess } from "../../../test/in-process.js";
import { explainCommanderError } from "./explain-commander-error.js";

/** Nothing listens at this address: a request would exit with 9, but every line here exits with 2. */
const env = { MGMT_BASE_URL: "http://127.0.0.1:1", MGMT_TOKEN: "token" };
const mgmt = inProcess({ env });
const folder = temporaryFolder();
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const expectRejected = async (
  line: readonly string[],
  message: string,
  hint?: string,
  stdin?: string,
): Promise<void> => {
  const { status, stdout, stderr } = await runInProcess(line, { env, ...(stdin !== undefined && { stdin }) });
  const [first = "", second = ""] = stderr.split("\n");
  expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
  expect(first).toContain(message);
  expect(second).toMatch(/^hint: ./);
  if (hint !== undefined) expect(second).toContain(hint);
};
const words = (line: string): string[] => line.split(" ");

describe("an invalid command line", () => {
  it.each<[line: string, message: string, hint?: string]>([
    ["projects lst", "Unknown command: mgmt projects lst", "Did you mean mgmt projects list?"],
    [
      "projects create --region eu-central1",
      '--region cannot be "eu-central1"',
      "Did you mean eu-central-1?",
    ],
    ["projects list --output jsn", '--output cannot be "jsn"', "Did you mean json?"],
    ["service-tokens list", "Unknown command: mgmt service-tokens", "mgmt workspaces service-tokens"],
    ["services update cps_a1234567 --logical-id null", "would be set to the text null", "--unset logical-id"],
    [
      "services create web --project-id proj_1 --branch-id null",
      "would be set to the text null",
      "--unset branch-id",
    ],
    ["projects list --limit 0", "--limit must be a number from 1 to 1000", "For example: --limit 1"],
    ["projects create --body @/nowhere.json", "cannot read /nowhere.json", "Pass a file that you can read"],
    ["dev --output yaml", "mgmt dev writes text or JSON", "--output json"],
    ["dev --ephemeral --data-dir here", "cannot be used together", "--help"],
    ["zzzzzz", "Unknown command: mgmt zzzzzz", "mgmt --help lists the commands."],
    ["projcts list", "Unknown command: mgmt projcts", "Did you mean mgmt projects list?"],
    ["projcts lst", "Unknown command: mgmt projcts", "Did you mean mgmt projects?"],
    ["proejcts branches list shop", "Unknown command: mgmt proejcts", "mgmt projects branches list?"],
    [
      "psql shop -c select",
      'mgmt psql does not have the flag "-c"',
      "Flags of psql follow --: mgmt psql shop -- -c …",
    ],
    ["psql --command=secret", 'flag "--command"', "Flags of psql follow --: mgmt psql -- --command …"],
    ["projcts --help", "Unknown command: mgmt projcts", "Did you mean mgmt projects?"],
    ["projects", "mgmt projects needs a command", "One of: list, create, ensure, get"],
    [
      "workspaces service-tokens",
      "mgmt workspaces service-tokens needs a command",
      "One of: list, create, delete.",
    ],
    ["projects get a b", 'mgmt projects get does not accept the argument "b"', "It takes <project-id>. mgmt"],
    ["projects list extra", 'does not accept the argument "extra"', "It takes no arguments."],
    ["projects create x --wait=false", "--wait takes no value", "to turn it off, leave it out"],
    [
      "projects create x --create-database=false",
      "--create-database takes no value",
      "pass --no-create-database",
    ],
    [
      "databases backups create",
      "Unknown command: mgmt databases backups create",
      "mgmt databases backups --help lists the commands.",
    ],
    ["branches list", "Unknown command: mgmt branches list", "Did you mean mgmt projects branches list?"],
    ["deployments list", "Unknown command: mgmt deployments", "Did you mean mgmt services deployments list?"],
    ["list", "Unknown command: mgmt list", "Did you mean mgmt projects list or mgmt projects branches list"],
    ["db list", "Unknown command: mgmt db list", "Did you mean mgmt databases list?"],
    ["plan -target shop", "Unknown option '-target'", "Did you mean --target?"],
    ["plan -detailed-exitcode", "Unknown option '-detailed-exitcode'", "Did you mean --exit-code?"],
    ["plan --detailed-exitcode", "Unknown option '--detailed-exitcode'", "Did you mean --exit-code?"],
    ["plan -out=plan.json", "Unknown option '-out'", "Did you mean --out?"],
    ["plan -out plan.json", "Unknown option '-out'", "Did you mean --out?"],
    ["plan -prune", "Unknown option '-prune'", "Did you mean --prune?"],
    ["apply -file=shop.yaml", "Unknown option '-file'", "Did you mean --file?"],
    ["apply -yes", "Unknown option '-yes'", "Did you mean --yes?"],
    ["projects list -json", "Unknown option '-json'", "Did you mean --json?"],
    ["projects list -output=json", "Unknown option '-output'", "Did you mean --output?"],
    ["projects list -token=secret", "Unknown option '-token'", "mgmt projects list --help"],
    ["projects list --output -query", '--output cannot be "-query"'],
    ["plan -target=shop", "Unknown option '-target'", "Did you mean --target?"],
    ["apply --auto-approve", "Unknown option '--auto-approve'", "Did you mean --yes?"],
    ["apply -auto-approve", "Unknown option '-auto-approve'", "Did you mean --yes?"],
    ["projects list -target shop", "Unknown option '-target'", "mgmt projects list --help"],
    ["projects list --limt 5", "Unknown option '--limt'", "Did you mean --limit?"],
    ["projects list --limit", "Option '--limit <number>' argument missing", "--help"],
    [
      "projects create --region mars",
      '--region cannot be "mars"',
      "Allowed: us-east-1, us-west-1, eu-west-3",
    ],
    ["regions list --product mysql", '--product cannot be "mysql"', "Allowed: postgres, accelerate."],
    ["projects list --limit 0", "--limit must be a number from 1 to 1000, not 0"],
    ["projects list --limit 1001", "--limit must be a number from 1 to 1000, not 1001", "--limit 1000"],
    ["projects list --limit 1e2", '--limit must be a whole number from 1 to 1000, not "1e2"'],
    ["projects list --limit five", '--limit must be a whole number from 1 to 1000, not "five"'],
    [
      "projects create --logical-id .a",
      '--logical-id cannot be ".a"',
      'Allowed: letters, digits, ".", "_" and "-", starting with a letter or digit.',
    ],
    ["databases update db_1 --logical-id a/b", '--logical-id cannot be "a/b"', "--unset logical-id"],
    ["projects create shop --name store", 'The name is set twice: by "shop" and by --name'],
    ["apps update cps_1 --unset display-name", '--unset cannot be "display-name"', "logical-id, branch-id"],
    [
      "apps update cps_1 --unset logical-id --logical-id a",
      "--unset logical-id and --logical-id cannot be used together",
    ],
    ["projects create --timeout 5m", "--timeout can only be used with --wait"],
    ["projects create --wait --timeout soon", '--timeout cannot be "soon"', "90s, 5m or 1h30m"],
    ["projects create --wait --timeout 0s", '--timeout cannot be "0s"'],
    [
      "projects list --output xml",
      '--output cannot be "xml"',
      "Allowed: table, json, yaml, csv, ndjson, env, name.",
    ],
    ["projects get ..", '<project-id> cannot be ".."'],
    ["projects get %2e%2e", "id must be a string that is neither empty nor a dot segment"],
    ["projects create --body {", "--body is not JSON (the text)", "@file"],
    ["projects create --body []", "--body must be a JSON object"],
    ["projects create --body null", "--body must be a JSON object"],
    ["projects update proj_1 --settings {", "--settings is not JSON (the text)"],
    ["dev --port 70000", "--port must be a number from 0 to 65535"],
    ["dev --port x", "--port must be a number from 0 to 65535"],
    ["dev --ephemeral --data-dir d", "--data-dir and --ephemeral cannot be used together"],
  ])("exits with 2 before anything is sent: %s", (line, message, hint) =>
    expectRejected(words(line), message, hint),
  );

  it.each(["-- notes\nselect 1", "-- ", "-1 + 1", "-x y"])(
    "says where an argument such as %j belongs",
    (sql) => expectRejected(["query", sql], "Unknown option", "after --: mgmt query [options] -- ARGUMENT"),
  );

  it("exits with 2 for an empty id and an empty name", async () => {
    await expectRejected(["projects", "get", ""], '<project-id> cannot be ""');
    await expectRejected(["projects", "delete", "proj_1", " ", "--yes"], '<project-id> cannot be " "');
    await expectRejected(["projects", "create", ""], "<name> must not be empty");
    await expectRejected(
      ["projects", "create", "--name", "x".repeat(257)],
      "--name must have at most 256 characters, not 257",
    );
  });

  it("exits with 2 for a file that is missing, a folder or empty", async () => {
    await expectRejected(
      ["projects", "create", "--body", "@nowhere.json"],
      "--body: cannot read nowhere.json (no such file)",
    );
    await expectRejected(["projects", "create", "--body", `@${folder}`], "(it is a directory)");
    await expectRejected(["projects", "list", "--token-file", file("empty", "\n")], "is empty");
    await expectRejected(
      ["projects", "list", "--token-file", file("two", "a\nb\n")],
      "has more than one line",
    );
    await expectRejected(["projects", "list", "--token-file", ""], "--token-file must not be empty");
  });

  it("exits with 2 if two flags read standard input", async () => {
    const line = words("projects transfer proj_1 --recipient-access-token-file - --token-file - --yes");
    await expectRejected(
      line,
      "--recipient-access-token-file and --token-file cannot both read standard input",
      "Put one",
      "x",
    );
  });

  it("exits with 2 for an invalid base URL, or one that ends in /v1", async () => {
    for (const url of ["localhost", "ftp://a.example", "http://u:p@a.example", "http://a.example/v1"]) {
      await expectRejected(
        ["me", "--base-url", url],
        "--base-url ",
        "Use a URL such as https://api.example.com",
      );
    }
    const { status, stderr } = await inProcess({ env: { MGMT_TOKEN: "t", MGMT_BASE_URL: "nonsense" } })`me`;
    expect(status).toBe(2);
    expect(stderr).toContain("MGMT_BASE_URL must be an absolute URL");
  });

  it.each(['"', "'", "`"])("refuses a token in quotes, which is not repeated: %s", async (quote) => {
    const MGMT_BASE_URL = "http://127.0.0.1:9";
    const token = `${quote}mgmt_secret${quote}`;
    const ownEnv = { MGMT_BASE_URL, MGMT_CONFIG_DIR: join(folder, "quotes") };
    const inEnvironment = inProcess({ env: { ...ownEnv, MGMT_TOKEN: token } });
    const onStdin = inProcess({ env: ownEnv, stdin: `${token}\n` });
    for (const [from, result] of [
      ["MGMT_TOKEN", await inEnvironment`me get`],
      ["MGMT_TOKEN", await inEnvironment`auth token`],
      ["--token-file", await onStdin`me get --token-file -`],
      ["The token", await onStdin`login --with-token`],
    ] as const) {
      expect(result).toMatchObject({ status: 2, stdout: "" });
      expect(result.stderr).toContain(`error: ${from} has a quote at its start or end`);
      expect(result.stderr).toMatch(/usage:invalid.*\nhint: .*Remove the quotes/);
      expect(result.stderr).not.toContain("secret");
    }
  });

  it.each([
    ["nonsense", "must be an absolute URL"],
    ["127.0.0.1:4300", "must be an absolute URL"],
    ["localhost:4300", "must be an absolute URL"],
    ['"http://127.0.0.1:4300"', "must be an absolute URL"],
    ["http://127.0.0.1:4300/v1", "must "],
    ["http://127.0.0.1:4301", "is the URL of another service"],
  ])("says what is wrong with the base URL also beside a profile: %s", async (MGMT_BASE_URL, message) => {
    const MGMT_CONFIG_DIR = mkdtempSync(join(folder, "config-"));
    const profiles = { local: { baseUrl: "http://127.0.0.1:4300", token: "eyLocal" } };
    writeFileSync(join(MGMT_CONFIG_DIR, "config.json"), JSON.stringify({ active: "local", profiles }));
    const { status, stderr } = await inProcess({ env: { MGMT_CONFIG_DIR, MGMT_BASE_URL } })`me`;
    expect({ failed: status !== 0, stderr }).toEqual({
      failed: true,
      stderr: expect.stringContaining(message),
    });
    expect(stderr).toMatch(/MGMT_BASE_URL.*\nhint: ./);
    expect(stderr.includes("another service")).toBe(MGMT_BASE_URL.endsWith("4301"));
  });

  it("repeats a word with line breaks on one line", async () => {
    await expectRejected(["a\nb"], "Unknown command: mgmt a\\nb", "mgmt --help");
    await expectRejected(
      ["login", "--store", "a\nb"],
      "argument 'a\\nb' is invalid. Allowed choices are file, keyring.",
    );
  });

  it("does not take the error of another option for one of an option without a long form", async () => {
    const command = new Command("mgmt").exitOverride().configureOutput({ writeErr: () => undefined });
    command.option("-q", "be quiet").requiredOption("--name <name>");
    const error = await command.parseAsync([], { from: "user" }).catch((reason: unknown) => reason);
    // Commander throws only its own errors.
    expect(await explainCommanderError(error as CommanderError, command, {})).toMatchObject({
      message: "Required option '--name <name>' not specified",
    });
  });

  it("does not repeat a long argument, which may be a token", async () => {
    const token = `ey${"a1".repeat(40)}`;
    const { status, stderr } = await runInProcess(["projects", "list", token]);
    expect(status).toBe(2);
    expect(stderr).not.toContain(token.slice(0, 20));
  });

  it("names what to set without a base URL", async () => {
    const { status, stderr } = await inProcess({ env: { MGMT_TOKEN: "t" } })`projects list`;
    expect(status).toBe(2);
    expect(stderr).toMatch(/MGMT_BASE_URL.*--base-url.*mgmt dev/s);
  });

  it("exits with 4 without a token, and says what to set", async () => {
    const { status, stderr } = await inProcess({ env: {} })`projects list`;
    expect(status).toBe(4);
    expect(stderr).toMatch(/mgmt login --base-url URL.*MGMT_TOKEN.*mgmt dev/s);
  });

  it("names the complete login command if the address is known", async () => {
    const { stderr } = await inProcess({ env: { MGMT_BASE_URL: "http://127.0.0.1:1" } })`projects list`;
    expect(stderr).toMatch(/mgmt login --base-url http:\/\/127\.0\.0\.1:1.*MGMT_TOKEN.*--token-file/s);
  });

  it("is one JSON object on standard error with --output json", async () => {
    const { stderr, stdout } = await mgmt`projects create --region mars -o json`;
    expect(stdout).toBe("");
    expect(JSON.parse(stderr)).toEqual({
      error: {
        code: "usage:invalid_value",
        message: '--region cannot be "mars"',
        hint: expect.stringContaining("eu-central-1"),
        next: [["mgmt", "projects", "create", "--help"]],
      },
    });
  });

  const token = `eyJhbGciOiJFUzI1NiJ9.${"c2VjcmV0".repeat(10)}.c2lnbmF0dXJl`;
  const uri = "postgres://ada:hunter2@db.example.com/shop";
  it.each([
    ["login --with-token sekrit123", "sekrit123"],
    [`login --with-token ${uri}`, "hunter2"],
    [`projects list ${uri}`, "hunter2"],
    [`projects list ${token}`, "c2VjcmV0"],
    [`whoami --token-file ${token}`, "c2VjcmV0"],
    [`whoami --token-file ${uri}`, "hunter2"],
    [token, "c2VjcmV0"],
    [`login ${uri}`, "hunter2"],
    [`psql ${uri} -c`, "hunter2"],
    [`login --store ${token}`, "c2VjcmV0"],
    ["projects list --foo=sekrit'123\nsekrit456", "sekrit"],
    ["projects list --foo=sekrit123\n(sekrit456)", "sekrit"],
    ["projects list --limt=sekrit123\nsekrit456", "sekrit"],
    ["projects list --foo\nsekrit123", "sekrit"],
    ["projects create x --wait=sekrit123\nsekrit456", "sekrit"],
    ["psql shop --foo\nsekrit123", "sekrit"],
    ["plan -target=sekrit123\nsekrit456", "sekrit"],
  ])("repeats no secret that is in the place of another word: %j", async (line, secret) => {
    const { status, stderr } = await runInProcess(line.split(" "), { env });
    expect(status).toBe(2);
    expect(stderr).not.toContain(secret);
  });
});
