import { describe, expect, it, vi } from "vitest";
import { createClient, InvalidArgumentError } from "@mgmt/sdk";
import { createAuthenticator, logout, memoryStore, startLogin } from "@mgmt/sdk/auth";
import { loginWithLoopback } from "@mgmt/sdk/auth/node";
import { createPartialClient, ProjectsResource } from "@mgmt/sdk/partial";
import { credentialFor, metadataOf } from "../auth/fault-server.js";
import { thrown } from "../server.js";

const refused = (argument: string): object => ({
  code: "argument:invalid",
  argument,
  message: `${argument} must start with https://, or with http:// on loopback`,
  hint: expect.stringContaining("allowInsecureHttp"),
});

describe("an http: address of another machine", () => {
  it.each(["http://api.example.com", "http://10.0.0.5:4300"])(
    "is refused by every client before anything is sent: %s",
    (baseUrl) => {
      const fetch = vi.fn();
      for (const token of ["canary", false] as const) {
        const options = { baseUrl, token, fetch };
        expect(() => createClient(options)).toThrow(expect.objectContaining(refused("baseUrl")));
        const makePartial = () => createPartialClient({ projects: ProjectsResource }, options);
        expect(makePartial).toThrow(InvalidArgumentError);
      }
      vi.stubEnv("MGMT_BASE_URL", baseUrl);
      expect(() => createClient({ token: "canary" })).toThrow(expect.objectContaining(refused("baseUrl")));
      vi.unstubAllEnvs();
      expect(fetch).not.toHaveBeenCalled();
    },
  );

  it("is used if allowInsecureHttp is true", async () => {
    const sent: string[] = [];
    const fetch = async (url: string): Promise<Response> => {
      sent.push(url);
      return Response.json({ data: {} });
    };
    const options = { baseUrl: "http://10.0.0.5:4300", token: "canary", fetch };
    await createClient({ ...options, allowInsecureHttp: true }).me.get();
    expect(sent).toEqual(["http://10.0.0.5:4300/v1/me"]);
    expect(() => createClient({ ...options, allowInsecureHttp: false })).toThrow(InvalidArgumentError);
  });

  it.each(["http://localhost:4300", "http://[::1]:4300", "https://api.example.com"])(
    "is not one of this machine, nor one with TLS: %s",
    (baseUrl) => {
      expect(() => createClient({ baseUrl, token: "canary" })).not.toThrow();
    },
  );

  it("is refused by every step of a login before anything is sent, unless allowInsecureHttp is true", async () => {
    const sent: string[] = [];
    const authUrl = "http://10.0.0.5:4300";
    const fetch = async (url: string, { body }: RequestInit): Promise<Response> => {
      sent.push(url);
      if (!body) return Response.json(metadataOf(authUrl));
      return Response.json({ access_token: "next", token_type: "Bearer", refresh_token: "next" });
    };
    const redirectUri = "http://127.0.0.1/callback";
    const options = { authUrl, clientId: "app", redirectUri, fetch };
    const store = () => memoryStore(credentialFor({ baseUrl: authUrl }, -1));
    const steps = [
      (more: object) => startLogin({ ...options, ...more }),
      async (more: object) => createAuthenticator({ ...options, store: store(), ...more }).token(),
      (more: object) => logout({ ...options, store: store(), ...more }),
    ];
    for (const step of steps) expect(await thrown(step({}))).toMatchObject(refused("authUrl"));
    expect(await thrown(loginWithLoopback({ ...options, open: () => undefined }))).toMatchObject(
      refused("authUrl"),
    );
    const endpoints = { authorization: "https://a.test/authorize", token: `${authUrl}/token` };
    const mixed = { authUrl: "https://a.test", endpoints };
    for (const step of steps) expect(await thrown(step(mixed))).toMatchObject(refused("endpoints.token"));
    expect(sent).toEqual([]);

    for (const step of steps) await step({ allowInsecureHttp: true });
    expect(sent).toContain(`${authUrl}/token`);
  });
});
