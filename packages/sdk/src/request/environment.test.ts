import { afterEach, describe, expect, it, vi } from "vitest";
import {
  createClient,
  createPartialClient,
  InvalidArgumentError,
  ProjectsResource,
  TokenError,
} from "@mgmt/sdk";
import { answering, thrown } from "../../test/server.js";

const setEnvironment = (variables: { MGMT_BASE_URL?: string; MGMT_TOKEN?: string }): void => {
  vi.stubEnv("MGMT_BASE_URL", variables.MGMT_BASE_URL);
  vi.stubEnv("MGMT_TOKEN", variables.MGMT_TOKEN);
};
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

/** Resolves to the error of a synchronous call. */
const refused = (create: () => unknown): Promise<unknown> => thrown(Promise.resolve().then(create));

describe("a client without options", () => {
  it("uses MGMT_BASE_URL and MGMT_TOKEN, without white space around them", async () => {
    const { baseUrl, seen } = await answering();
    setEnvironment({ MGMT_BASE_URL: ` ${baseUrl}/ `, MGMT_TOKEN: "from-environment\n" });
    await createClient().projects.get("x");
    await createPartialClient({ projects: ProjectsResource }).projects.get("x");
    await createClient().http.GET("/v1/me");
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(
      Array.from({ length: 3 }, () => "Bearer from-environment"),
    );
  });

  it("reads MGMT_TOKEN at each call", async () => {
    const { baseUrl, seen } = await answering();
    setEnvironment({ MGMT_BASE_URL: baseUrl, MGMT_TOKEN: "first" });
    const client = createClient();
    await client.projects.get("x");
    vi.stubEnv("MGMT_TOKEN", "second");
    await client.projects.get("x");
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(["Bearer first", "Bearer second"]);
  });

  it.each([undefined, ""])("is refused when MGMT_BASE_URL is %j", async (value) => {
    setEnvironment({ ...(value !== undefined && { MGMT_BASE_URL: value }), MGMT_TOKEN: "t" });
    const error = await refused(() => createClient());
    expect(error).toBeInstanceOf(InvalidArgumentError);
    expect(error).toMatchObject({
      code: "argument:invalid",
      argument: "baseUrl",
      message: "baseUrl must be passed or set in MGMT_BASE_URL; or use cliLogin()",
    });
  });

  it("is refused with the same error where there is no process, as in browsers", async () => {
    vi.stubGlobal("process", undefined);
    const errors = [await refused(() => createClient())];
    vi.stubGlobal("process", {});
    errors.push(await refused(() => createClient()));
    vi.unstubAllGlobals();
    for (const error of errors) expect(error).toMatchObject({ argument: "baseUrl" });
  });

  it("is refused when MGMT_BASE_URL is not the URL of a service", async () => {
    setEnvironment({ MGMT_BASE_URL: "api.example.com" });
    const error = await refused(() => createClient());
    expect(error).toMatchObject({ message: "baseUrl must be an absolute URL, https:// or http://" });
  });
});

describe("the options of a client", () => {
  it("take precedence over the environment", async () => {
    const { baseUrl, seen } = await answering();
    setEnvironment({ MGMT_BASE_URL: "https://other.example.com", MGMT_TOKEN: "from-environment" });
    await createClient({ baseUrl, token: "passed" }).projects.get("x");
    expect(seen[0]?.headers.authorization).toBe("Bearer passed");
  });

  it("are completed by MGMT_TOKEN when MGMT_BASE_URL is not set, or is the same address", async () => {
    const { baseUrl, seen } = await answering();
    setEnvironment({ MGMT_TOKEN: "from-environment" });
    await createClient({ baseUrl }).projects.get("x");
    vi.stubEnv("MGMT_BASE_URL", `${baseUrl}/`);
    await createClient({ baseUrl }).projects.get("x");
    expect(seen).toHaveLength(2);
  });

  it("are not completed by the token of another service", async () => {
    const { baseUrl, seen } = await answering();
    for (const other of ["https://other.example.com", "nonsense"]) {
      setEnvironment({ MGMT_BASE_URL: other, MGMT_TOKEN: "from-environment" });
      expect(await thrown(createClient({ baseUrl }).projects.get("x"))).toMatchObject({
        code: "token:missing",
        hint: expect.stringContaining("MGMT_BASE_URL is the URL of another service"),
      });
    }
    expect(seen).toEqual([]);
  });
});

describe("a call without a token", () => {
  it("is refused before anything is sent, and says what to do", async () => {
    const { baseUrl, seen } = await answering();
    setEnvironment({ MGMT_BASE_URL: baseUrl });
    const error = await thrown(createClient({ token: undefined }).projects.get("x"));
    expect(error).toBeInstanceOf(TokenError);
    expect(error).toMatchObject({
      code: "token:missing",
      message: "There is no token to send",
      hint: expect.stringContaining("set MGMT_TOKEN"),
      advice: "set_token",
    });
    expect(seen).toEqual([]);
  });

  it("is sent with the credential in its headers", async () => {
    const { baseUrl, seen } = await answering();
    setEnvironment({ MGMT_BASE_URL: baseUrl });
    await createClient().projects.get("x", { headers: { authorization: "Bearer of-this-call" } });
    expect(seen[0]?.headers.authorization).toBe("Bearer of-this-call");
  });

  it("never sends a malformed MGMT_TOKEN, nor quotes it", async () => {
    const { baseUrl, seen } = await answering();
    setEnvironment({ MGMT_BASE_URL: baseUrl, MGMT_TOKEN: "Bearer canary" });
    const error = await thrown(createClient().projects.get("x"));
    expect(error).toMatchObject({ code: "token:unavailable", advice: "check_token" });
    expect(JSON.stringify(error)).not.toContain("canary");
    expect(seen).toEqual([]);
  });

  it("does not use MGMT_TOKEN in place of what a token function returned", async () => {
    const { baseUrl, seen } = await answering();
    setEnvironment({ MGMT_BASE_URL: baseUrl, MGMT_TOKEN: "from-environment" });
    // A JavaScript program may return nothing.
    const token = (() => undefined) as unknown as () => string;
    expect(await thrown(createClient({ token }).projects.get("x"))).toMatchObject({
      code: "token:unavailable",
    });
    expect(seen).toEqual([]);
  });
});
