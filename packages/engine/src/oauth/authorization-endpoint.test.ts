import { createServer } from "@mgmt/mock/server";
import { describe, expect, it } from "vitest";
import { start, useAuthorizationPage } from "../../test/oauth/authorization-page.js";
import { cli, encode, goodRequest, verifier } from "../../test/oauth/oauth-api.js";
import { PageVisitor } from "../../test/oauth/page-visitor.js";

describe("the page of /authorize", () => {
  const site = useAuthorizationPage();

  const user = () => site.server.engine.defaults.user.id;
  const workspace = () => site.server.engine.defaults.workspace.id;
  const parametersOf = (location: string | undefined) =>
    Object.fromEntries(new URL(location ?? "").searchParams);
  const consented = () => site.server.engine.rows.integrations.size > 0;

  it("redirects to the client with a redeemable code after the choice of an account and a workspace", async () => {
    await site.visitor.open(start);
    const { text } = await site.visitor.submit({ user: user() });
    expect(text).toContain("mgmt CLI");
    expect(text).toContain("Analytical Engines");
    expect(text).not.toContain("Compilers");
    expect(text).toContain("Stay signed in");
    expect(text).toContain("http://127.0.0.1:51234");
    const { status, headers } = await site.visitor.submit({ workspace: workspace(), decision: "allow" });
    // 303 makes the browser use GET, so it does not submit the form to the client. No header reveals the URL
    // with the code. See RFC 9700, section 4.12.
    expect([status, headers["cache-control"], headers["referrer-policy"]]).toEqual([
      303,
      "no-store",
      "no-referrer",
    ]);
    const { code = "", ...rest } = parametersOf(headers["location"]);
    expect(rest).toEqual({ state: goodRequest.state, iss: site.server.baseUrl });
    const answer = await fetch(`${site.server.baseUrl}/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        client_id: cli.client,
        redirect_uri: cli.redirectUri,
        code_verifier: verifier,
        code,
      }),
    });
    expect(await answer.json()).toMatchObject({ token_type: "Bearer", refresh_token: expect.any(String) });
  });

  it("sends the user's no back on either page (RFC 6749, section 4.1.2.1)", async () => {
    await site.visitor.open(start);
    const early = await site.visitor.submit({ decision: "deny" });
    await site.visitor.submit({ user: user() });
    const late = await site.visitor.submit({ decision: "deny" });
    for (const { status, headers } of [early, late]) {
      expect(status).toBe(303);
      expect(parametersOf(headers["location"])).toMatchObject({
        error: "access_denied",
        state: goodRequest.state,
        iss: site.server.baseUrl,
      });
    }
    expect(consented()).toBe(false);
  });

  it.each([["https://app.example/cb", "'self' https:"]])(
    "allows its form to redirect to %s only by %s",
    async (redirect_uri, sources) => {
      const { id } = await site.server.engine.oauth.registerClient({ redirectUris: [redirect_uri] });
      const { headers } = await site.visitor.open(
        `/authorize?${encode({ ...goodRequest, client_id: id, redirect_uri })}`,
      );
      expect(headers["content-security-policy"]).toContain(`form-action ${sources};`);
    },
  );

  it.each([
    ["an unknown account", { user: "usr_nobody" }],
    ["no account", {}],
    ["an unknown decision", { user: "user", decision: "maybe" }],
    ["no workspace", { user: "user", decision: "allow" }],
    ["an unknown workspace", { user: "user", decision: "allow", workspace: "wksp_none" }],
    ["another user's workspace", { user: "user", decision: "allow", workspace: "other" }],
    [
      "a workspace named like a property of all objects",
      { user: "user", decision: "allow", workspace: "__proto__" },
    ],
  ])("refuses a form with %s", async (_name, fields) => {
    await site.visitor.open(start);
    const named = Object.entries(fields).map(([name, value]) => {
      if (value === "user") return [name, user()] as const;
      return [name, value === "other" ? site.server.engine.defaults.otherWorkspace.id : value] as const;
    });
    const { status, headers } = await site.visitor.submit(Object.fromEntries(named));
    expect([status, headers["location"]]).toEqual([400, undefined]);
    expect(consented()).toBe(false);
  });

  it("refuses a form of another type, and one that is too large", async () => {
    await site.visitor.open(start);
    expect((await site.visitor.submit({ user: user() }, { "content-type": "text/plain" })).status).toBe(400);
    expect((await site.visitor.submit({ user: user(), more: "a".repeat(70_000) })).status).toBe(413);
  });

  it("refuses a Host that is not its own (DNS rebinding)", async () => {
    const { port } = site.server;
    for (const host of [
      `evil.example:${String(port)}`,
      "127.0.0.1",
      "127.0.0.1:1",
      `127.0.0.1.evil.example:${String(port)}`,
    ]) {
      expect((await site.visitor.open(start, { host })).status).toBe(403);
    }
    expect((await site.visitor.open(start, { host: `localhost:${String(port)}` })).status).toBe(200);
  });

  it("works under each of its own names", async () => {
    const { port } = site.server;
    for (const name of ["localhost", "127.0.0.1"]) {
      const host = `${name}:${String(port)}`;
      const origin = `http://${host}`;
      const { text } = await site.visitor.open(start, { host });
      expect(text).toContain("Ada Lovelace");
      expect((await site.visitor.submit({ user: user() }, { host, origin })).status).toBe(200);
    }
  });

  it("exists on loopback only, because accounts have no passwords", async () => {
    const open = await createServer({ host: "0.0.0.0", engineOptions: { deterministic: "open" } });
    const stranger = new PageVisitor(`http://127.0.0.1:${String(open.port)}`);
    try {
      const { status, text } = await stranger.open(start);
      expect(status).toBe(403);
      expect(text).toContain("only on loopback");
      expect(text).not.toContain("Ada");
      const posted = await stranger.send(
        "POST",
        start,
        { "content-type": "application/x-www-form-urlencoded" },
        `decision=allow&user=${open.engine.defaults.user.id}&workspace=${open.engine.defaults.workspace.id}`,
      );
      expect(posted.status).toBe(403);
      const { status: metadata } = await stranger.open("/.well-known/oauth-authorization-server");
      expect(metadata).toBe(200);
    } finally {
      await open.close();
    }
  });
});
