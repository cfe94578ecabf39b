import { describe, expect, it } from "vitest";
import type { Result } from "../../test/result.js";
import { account, file, folder, inFolder, useFolder } from "../../test/commands/auth/linkable-folder.js";

useFolder();

/** Returns the warnings that a command prints: what is used, and where it comes from. */
const warningsOf = ({ status, errors }: Result): string[] => {
  expect(status).toBe(0);
  return errors.flatMap((line) => {
    const { warning } = line as { warning?: { code: string; message: string; hint: string } };
    return warning === undefined ? [] : [`${warning.code}: ${warning.message}. ${warning.hint}`];
  });
};

const overridden = (text: string): string => `config:overridden: Commands here still use ${text}`;

/** Stores a second profile with its own credential, without logging in. */
const addProfile = (name: string, baseUrl = account.server.baseUrl): void =>
  account.store((all) => {
    all.profiles[name] = { baseUrl, token: "token-of-a-second-profile" };
  });

describe("a switch to another profile", () => {
  it("warns of nothing where commands use it", async () => {
    await account.login();
    addProfile("second");
    expect(warningsOf(await inFolder("auth switch second --project-id proj_a -o json"))).toEqual([]);
  });

  it("names the variable, or the link, that selects another one", async () => {
    await account.login();
    addProfile("second");
    const env = { MGMT_PROFILE: "default" };
    expect(warningsOf(await inFolder("auth switch second -o json", env))).toEqual([
      overridden(
        "profile default from MGMT_PROFILE, which overrides profile second. Unset MGMT_PROFILE to use profile second.",
      ),
    ]);
    await inFolder("auth switch default");
    await inFolder("link");
    expect(warningsOf(await inFolder("auth switch second -o json"))).toEqual([
      overridden(
        `profile default from ${file}, which overrides profile second. mgmt unlink removes the link.`,
      ),
    ]);
  });

  it("names the variables that take the place of its address, credential and project", async () => {
    await account.login();
    addProfile("second", "http://127.0.0.1:1");
    const env = {
      MGMT_BASE_URL: account.server.baseUrl,
      MGMT_TOKEN: "CANARY",
      MGMT_PROJECT_ID: "proj_b",
    };
    const result = await inFolder("auth switch second --project-id proj_a -o json", env);
    expect(warningsOf(result)).toEqual([
      overridden(
        `${account.server.baseUrl} from MGMT_BASE_URL, which overrides the URL of profile second. Unset MGMT_BASE_URL to use the URL of profile second.`,
      ),
      overridden(
        "the token from MGMT_TOKEN, which overrides the credential of profile second. Unset MGMT_TOKEN to use the credential of profile second.",
      ),
      overridden(
        "proj_b from MGMT_PROJECT_ID, which overrides the project of profile second. Unset MGMT_PROJECT_ID to use the project of profile second.",
      ),
    ]);
    expect(result.stderr).not.toContain("CANARY");
  });

  it("does not fail because of a variable that later commands refuse", async () => {
    await account.login();
    addProfile("second");
    for (const env of [{ MGMT_PROFILE: "a b" }, { MGMT_TOKEN: "" }, { MGMT_BASE_URL: " " }])
      expect(warningsOf(await inFolder("auth switch second -o json", env))).toEqual([]);
  });
});

describe("a login", () => {
  const logIn = (flags: string, env: NodeJS.ProcessEnv): Promise<Result> =>
    account.run(
      [
        "login",
        "--with-token",
        "--base-url",
        account.server.baseUrl,
        "--yes",
        ...flags.split(" "),
        "-o",
        "json",
      ],
      { cwd: folder, env, stdin: token },
    );
  let token: string;

  it("names what commands use in its place", async () => {
    token = await account.server.engine.tokens.user();
    expect(warningsOf(await logIn("--profile first", {}))).toEqual([]);
    expect(warningsOf(await logIn("--profile first", { MGMT_TOKEN: "CANARY" }))).toEqual([
      overridden(
        "the token from MGMT_TOKEN, which overrides the credential of profile first. Unset MGMT_TOKEN to use the credential of profile first.",
      ),
    ]);
    expect(warningsOf(await logIn("--profile second", {}))).toEqual([]);
    expect(warningsOf(await logIn("--profile second", { MGMT_PROFILE: "third" }))).toEqual([
      overridden(
        "profile third from MGMT_PROFILE, which overrides profile second. Unset MGMT_PROFILE to use profile second.",
      ),
    ]);
  });
});

describe("a link", () => {
  it("names what commands use in place of its profile and ids", async () => {
    await account.login();
    addProfile("second");
    const line = "link --project-id proj_a --no-verify -o json";
    expect(warningsOf(await inFolder(line))).toEqual([]);
    expect(warningsOf(await inFolder(line, { MGMT_PROFILE: "default" }))).toEqual([]);
    expect(warningsOf(await inFolder(line, { MGMT_PROJECT_ID: "proj_b" }))).toEqual([
      overridden(
        `proj_b from MGMT_PROJECT_ID, which overrides proj_a in ${file}. Unset MGMT_PROJECT_ID to use proj_a in ${file}.`,
      ),
    ]);
    expect(warningsOf(await inFolder(`${line} --profile second`, { MGMT_PROFILE: "default" }))).toEqual([
      overridden(
        "profile default from MGMT_PROFILE, which overrides profile second. Unset MGMT_PROFILE to use profile second.",
      ),
    ]);
  });

  it("names the project that init does not set", async () => {
    await account.login();
    const { id } = await account.server.engine.seed.project();
    const env = { MGMT_PROJECT_ID: "proj_b" };
    const result = await inFolder(`init --project-id ${id} --no-env --no-gitignore -o json`, env);
    expect(warningsOf(result)).toEqual([
      overridden(
        `proj_b from MGMT_PROJECT_ID, which overrides ${id} in ${file}. Unset MGMT_PROJECT_ID to use ${id} in ${file}.`,
      ),
    ]);
  });
});
