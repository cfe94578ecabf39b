import { describe, expect, it } from "vitest";
import { cli, pairOf, useOAuthApi } from "../../test/oauth/oauth-api.js";

describe("faults of the authorization server", () => {
  const api = useOAuthApi();

  const refresh = (refreshToken: string) => api.refresh(refreshToken);

  it("affect an endpoint by its name, and change nothing", async () => {
    const { refreshToken } = await api.login();
    await api.engine.faults.add({ operation: "oauth.token", status: 503, times: 1 });
    const { status, json } = await refresh(refreshToken);
    expect([status, json["error"]]).toEqual([503, "server_error"]);
    pairOf(await refresh(refreshToken));
    expect(api.engine.requests.map(({ operationId, status: logged }) => [operationId, logged])).toEqual([
      ["oauth.token", 200],
      ["oauth.token", 503],
      ["oauth.token", 200],
    ]);
  });

  it("simulate a proxy's page, and any error code", async () => {
    await api.engine.faults.add({
      operation: "oauth.token",
      status: 502,
      body: "<h1>Bad gateway</h1>",
      times: 1,
    });
    await api.engine.faults.add({
      operation: ["oauth.token", "oauth.revoke"],
      status: 400,
      code: "invalid_grant",
    });
    const { status, text, headers } = await refresh("x");
    expect([status, text, headers["content-type"]]).toEqual([502, "<h1>Bad gateway</h1>", "text/html"]);
    expect((await refresh("x")).json).toMatchObject({ error: "invalid_grant" });
    expect((await api.revoke({ client_id: cli.client, token: "x" })).error).toBe("invalid_grant");
  });

  it("drop the connection after the work: the refresh token was used, and the grace period allows one replay", async () => {
    const { refreshToken } = await api.login();
    await api.engine.faults.add({ operation: "oauth.token", drop: "after", times: 1 });
    const form = `grant_type=refresh_token&client_id=${cli.client}&refresh_token=${refreshToken}`;
    const headers = { "content-type": "application/x-www-form-urlencoded" };
    const { dropped } = await api.engine.handle({ method: "POST", path: "/token", headers, body: form });
    expect(dropped).toBe("unsent");
    pairOf(await refresh(refreshToken));
    expect((await refresh(refreshToken)).error).toBe("invalid_grant");
  });

  it("affect no authorization server endpoint without a name, and refuse an unknown endpoint", async () => {
    await api.engine.faults.add({ status: 500 });
    const { accessToken } = await api.login();
    expect(await api.reach(accessToken)).toBe(500);
    // A wrong name, as JSON may contain it.
    const wrong = { operation: "oauth.nothing", status: 500 } as never;
    await expect(Promise.resolve().then(() => api.engine.faults.add(wrong))).rejects.toThrow(TypeError);
  });
});
