import { mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { GlobalFlags } from "../input/context.js";
import { readServiceVariable } from "./service-variables.js";
import { temporaryFolder } from "../../test/folders.js";
import { runInProcess } from "../../test/in-process.js";
import { type CannedResponse, startCannedServer } from "../../test/canned-server.js";
import { createSettingsFolder } from "../../test/profiles/settings-folder.js";

const root = temporaryFolder();

interface Service {
  readonly url: string;
  /** The authorization of each request. */
  readonly tokens: (string | undefined)[];
}

const services: (() => void)[] = [];
const startService = async (): Promise<Service> => {
  const tokens: (string | undefined)[] = [];
  const { env, close } = await startCannedServer((request): CannedResponse => {
    tokens.push(request.headers.authorization);
    return { body: { data: { id: "usr_1", type: "user" } } };
  });
  services.push(close);
  return { url: env["MGMT_BASE_URL"] ?? "", tokens };
};
beforeEach(async () => () => {
  for (const close of services.splice(0)) close();
});

interface Case {
  readonly flags?: (keyof GlobalFlags)[];
  readonly env?: readonly string[];
  readonly link?: boolean;
  /** Whether the profile `other` is that of the `mgmt dev --here` of the folder. */
  readonly stack?: boolean;
  /** Which of the services gets which token. */
  readonly expected: readonly [service: "flag" | "variable" | "main" | "other", token: string];
}

const run = async ({ flags = [], env = [], link = false, stack = false }: Omit<Case, "expected">) => {
  const all = {
    flag: await startService(),
    variable: await startService(),
    main: await startService(),
    other: await startService(),
  };
  const { cwd, env: configured } = createSettingsFolder(root, {
    profiles: {
      main: { baseUrl: all.main.url, token: "token-of-main" },
      other: { baseUrl: all.other.url, token: "token-of-other" },
    },
    active: "main",
    link: link ? { profile: "other" } : undefined,
  });
  if (stack) addStack(cwd, join(configured["MGMT_CONFIG_DIR"] ?? "", "config.json"));
  writeFileSync(join(cwd, "token"), "token-of-flag\n");
  const values: Record<string, string[]> = {
    baseUrl: ["--base-url", all.flag.url],
    tokenFile: ["--token-file", "token"],
    profile: ["--profile", "other"],
  };
  const variables: NodeJS.ProcessEnv = {
    MGMT_BASE_URL: all.variable.url,
    MGMT_TOKEN: "token-of-variable",
    MGMT_PROFILE: "other",
  };
  const words = ["me", "get", "-o", "json", ...flags.flatMap((flag) => values[flag] ?? [])];
  const chosen = Object.fromEntries(env.map((name) => [name, variables[name]]));
  const result = await runInProcess(words, { cwd, env: { ...configured, ...chosen } });
  const sent = Object.entries(all).flatMap(([name, { tokens }]) => tokens.map((token) => [name, token]));
  return { result, sent };
};

const addStack = (folder: string, profilesFile: string): void => {
  mkdirSync(join(folder, ".mgmt/dev"), { recursive: true });
  // Written by this test.
  const stored = JSON.parse(readFileSync(profilesFile, "utf8")) as { profiles: { other: object } };
  Object.assign(stored.profiles.other, { folder: realpathSync(folder), controlUrl: "http://127.0.0.1:1" });
  writeFileSync(profilesFile, JSON.stringify(stored));
};

describe("a request goes", () => {
  it.each<[string, Case]>([
    ["to the profile, with its token", { expected: ["main", "token-of-main"] }],
    ["to the profile of the link", { link: true, expected: ["other", "token-of-other"] }],
    ["to the profile of the folder", { stack: true, expected: ["other", "token-of-other"] }],
    ["to the profile of the variable", { env: ["MGMT_PROFILE"], expected: ["other", "token-of-other"] }],
    ["to the profile of the flag", { flags: ["profile"], expected: ["other", "token-of-other"] }],
    [
      "to the profile of the flag, whatever the variables say",
      { flags: ["profile"], env: ["MGMT_BASE_URL", "MGMT_TOKEN"], expected: ["other", "token-of-other"] },
    ],
    [
      "to the variables before the profile",
      { env: ["MGMT_BASE_URL", "MGMT_TOKEN"], expected: ["variable", "token-of-variable"] },
    ],
    [
      "to the flags before the variables",
      {
        flags: ["baseUrl", "tokenFile"],
        env: ["MGMT_BASE_URL", "MGMT_TOKEN"],
        expected: ["flag", "token-of-flag"],
      },
    ],
    [
      "to the address of the variable, with the token of the flag",
      { flags: ["tokenFile"], env: ["MGMT_BASE_URL", "MGMT_TOKEN"], expected: ["variable", "token-of-flag"] },
    ],
    [
      "to the address of the flag, with the token of the variable",
      { flags: ["baseUrl"], env: ["MGMT_BASE_URL", "MGMT_TOKEN"], expected: ["flag", "token-of-variable"] },
    ],
    [
      "to the profile, with the token of the variable",
      { env: ["MGMT_TOKEN"], expected: ["main", "token-of-variable"] },
    ],
    [
      "to the profile, with the token of the flag",
      { flags: ["tokenFile", "profile"], expected: ["other", "token-of-flag"] },
    ],
  ])("%s", async (_, { expected: [service, token], ...given }) => {
    const { result, sent } = await run(given);
    expect(result.status, result.stderr).toBe(0);
    expect(sent).toEqual([[service, `Bearer ${token}`]]);
  });

  it.each<[string, Omit<Case, "expected">, string]>([
    ["the credential of a profile would go to another service", { flags: ["baseUrl"] }, "auth:other_service"],
    [
      "the credential of a profile would go to another service",
      { env: ["MGMT_BASE_URL"] },
      "auth:other_service",
    ],
    [
      "a token would go to the service that only a link names",
      { env: ["MGMT_TOKEN"], link: true },
      "which only ",
    ],
    [
      "a token would go to the service that only the folder chooses",
      { env: ["MGMT_TOKEN"], stack: true },
      ".mgmt/dev chooses",
    ],
  ])("nowhere if %s", async (_, given, code) => {
    const { result, sent } = await run(given);
    expect(result.stderr).toContain(code);
    expect([result.status === 0, sent]).toEqual([false, []]);
  });

  it("to the profile if a flag writes its address in another way", async () => {
    const { url, tokens } = await startService();
    const profiles = { main: { baseUrl: url, token: "t" } };
    const { cwd, env } = createSettingsFolder(root, { profiles, active: "main" });
    await runInProcess(["me", "get", "--base-url", `${url.replace("http:", "HTTP:")}/`], { cwd, env });
    expect(tokens).toEqual(["Bearer t"]);
  });
});

describe("the variables of the service", () => {
  it.each([
    ["MGMT_TOKEN", "projects list", 4, "auth:empty_token"],
    ["MGMT_BASE_URL", "projects list", 2, "usage:empty_base_url"],
    ["MGMT_BASE_URL", "login --with-token", 2, "usage:empty_base_url"],
    ["MGMT_BASE_URL", "config get base-url", 2, "usage:empty_base_url"],
  ])("are not replaced by a profile if they are empty: %s, mgmt %s", async (name, line, status, code) => {
    const { url, tokens } = await startService();
    const profiles = { main: { baseUrl: url, token: "t" } };
    const { cwd, env } = createSettingsFolder(root, { profiles, active: "main" });
    const setup = { cwd, env: { ...env, [name]: " \n" }, stdin: "a-token" };
    const result = await runInProcess(line.split(" "), setup);
    expect([result.status, result.stdout, tokens]).toEqual([status, "", []]);
    expect(result.stderr).toContain(`error: ${name} is set, but empty (${code})`);
    expect(result.stderr).toMatch(/hint: Set it to .* remove the variable\./);
  });

  it.each(["", " ", "\t"])("are refused if they are empty, because a secret is missing: %j", (value) => {
    expect(() => readServiceVariable("MGMT_TOKEN", { MGMT_TOKEN: value })).toThrow(/MGMT_TOKEN/);
    expect(() => readServiceVariable("MGMT_BASE_URL", { MGMT_BASE_URL: value })).toThrow(/MGMT_BASE_URL/);
    expect(readServiceVariable("MGMT_TOKEN", {})).toBeUndefined();
    expect(readServiceVariable("MGMT_TOKEN", { MGMT_TOKEN: " a " })).toBe("a");
  });

  it.each(['"token"', "'token", "token`", "to ken", "to\nken"])(
    "are refused if they are not a token: %j",
    async (token) => {
      const { status, stderr } = await runInProcess(["me", "get"], {
        env: { MGMT_BASE_URL: "http://127.0.0.1:9", MGMT_TOKEN: token },
      });
      expect(status).toBe(2);
      expect(stderr).toContain("MGMT_TOKEN");
      expect(stderr).not.toContain(token);
    },
  );
});
