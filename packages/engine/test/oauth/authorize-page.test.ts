import { createHash } from "node:crypto";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cli, encode, goodRequest, verifier } from "./oauth-api.js";
import { PageVisitor } from "./page-visitor.js";

const start = `/authorize?${encode({ ...goodRequest, scope: "workspace:admin offline_access" })}`;

describe("the page of /authorize", () => {
  let server: RunningServer;
  let visitor: PageVisitor;
  beforeAll(async () => {
    server = await createServer({ engineOptions: { deterministic: "page" } });
  });
  beforeEach(async () => {
    await server.engine.reset();
    visitor = new PageVisitor(server.baseUrl);
  });
  afterAll(() => server.close());

  const user = () => server.engine.defaults.user.id;
  const workspace = () => server.engine.defaults.workspace.id;
  const parametersOf = (location: string | undefined) =>
    Object.fromEntries(new URL(location ?? "").searchParams);
  const consented = () => server.engine.rows.integrations.size > 0;

  it("redirects to the client with a redeemable code after the choice of an account and a workspace", async () => {
    await visitor.open(start);
    const { text } = await visitor.submit({ user: user() });
    expect(text).toContain("mgmt CLI");
    expect(text).toContain("Analytical Engines");
    expect(text).not.toContain("Compilers");
    expect(text).toContain("Stay signed in");
    expect(text).toContain("http://127.0.0.1:51234");
    const { status, headers } = await visitor.submit({ workspace: workspace(), decision: "allow" });
    // 303 makes the browser use GET, so it does not submit the form to the client. No header reveals the URL
    // with the code. See RFC 9700, section 4.12.
    expect([status, headers["cache-control"], headers["referrer-policy"]]).toEqual([
      303,
      "no-store",
      "no-referrer",
    ]);
    const { code = "", ...rest } = parametersOf(headers["location"]);
    expect(rest).toEqual({ state: goodRequest.state, iss: server.baseUrl });
    const answer = await fetch(`${server.baseUrl}/token`, {
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
    await visitor.open(start);
    const early = await visitor.submit({ decision: "deny" });
    await visitor.submit({ user: user() });
    const late = await visitor.submit({ decision: "deny" });
    for (const { status, headers } of [early, late]) {
      expect(status).toBe(303);
      expect(parametersOf(headers["location"])).toMatchObject({
        error: "access_denied",
        state: goodRequest.state,
        iss: server.baseUrl,
      });
    }
    expect(consented()).toBe(false);
  });

  it("runs no script, loads nothing, refuses framing, is not stored, and leaks no URL", async () => {
    const { headers, text } = await visitor.open(start);
    const [, style = ""] = /<style>([^]*?)<\/style>/.exec(text) ?? [];
    const policy = headers["content-security-policy"]?.split("; ");
    expect(policy).toEqual([
      "default-src 'none'",
      `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
      "img-src data:",
      "form-action 'self' http://127.0.0.1:* http://localhost:* https:",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]);
    expect(headers).toMatchObject({
      "x-frame-options": "DENY",
      "x-content-type-options": "nosniff",
      "referrer-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
      "cache-control": "no-store",
      "set-cookie": expect.stringMatching(
        /^mgmt_authorize=[\w-]{43}; Path=\/authorize; HttpOnly; SameSite=Lax$/,
      ),
    });
    expect(text).not.toMatch(/<script|onload=|style="/);
  });

  it.each([
    ["https://app.example/cb", "'self' https:"],
    ["com.example.app:/cb", "'self' com.example.app:"],
    ["http://[::1]:4000/cb", "'self' http: https:"],
  ])("allows its form to redirect to %s only by %s", async (redirect_uri, sources) => {
    const { id } = await server.engine.oauth.registerClient({ redirectUris: [redirect_uri] });
    const { headers } = await visitor.open(
      `/authorize?${encode({ ...goodRequest, client_id: id, redirect_uri })}`,
    );
    expect(headers["content-security-policy"]).toContain(`form-action ${sources};`);
  });

  it("prints names as text, whatever they are", async () => {
    const hostile = `"><img src=x onerror=alert(1)>&'`;
    const { id } = await server.engine.oauth.registerClient({
      redirectUris: ["http://127.0.0.1/cb"],
      name: hostile,
    });
    const { id: owner } = await server.engine.seed.user({ name: hostile, email: hostile });
    await server.engine.seed.workspace({ name: hostile, ownerId: owner });
    const request = { ...goodRequest, client_id: id, redirect_uri: "http://127.0.0.1:9/cb", state: hostile };
    const first = await visitor.open(`/authorize?${encode(request)}`);
    const second = await visitor.submit({ user: owner });
    for (const { status, text } of [first, second]) {
      expect(status).toBe(200);
      expect(text).not.toContain("<img");
      expect(text).toContain("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;&#39;");
    }
  });

  it("shows the problem to a user without a workspace, and allows only a denial", async () => {
    const { id } = await server.engine.seed.user();
    await visitor.open(start);
    const { text } = await visitor.submit({ user: id });
    expect(text).toContain("You are not a member of a workspace");
    expect(text).not.toContain('value="allow"');
    expect((await visitor.submit({ decision: "allow" })).status).toBe(400);
    expect(consented()).toBe(false);
  });

  describe("protection of its form", () => {
    const allow = () => ({ workspace: workspace(), decision: "allow" });
    beforeEach(async () => {
      await visitor.open(start);
      await visitor.submit({ user: user() });
    });

    it.each([
      ["another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
      ["another port of this machine", { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }],
      ["an opaque origin", { origin: "null", "sec-fetch-site": "cross-site" }],
      ["another site without Origin", { origin: undefined, "sec-fetch-site": "cross-site" }],
      ["the same site, another origin", { origin: undefined, "sec-fetch-site": "same-site" }],
      ["no page at all", { origin: undefined, "sec-fetch-site": "none" }],
    ])("refuses one from %s with 403", async (_name, headers) => {
      const { status, headers: received } = await visitor.submit(allow(), headers);
      expect([status, received["location"]]).toEqual([403, undefined]);
      expect(consented()).toBe(false);
    });

    it("refuses another origin's request for the page", async () => {
      expect((await visitor.open(start, { origin: "https://evil.example" })).status).toBe(403);
    });

    it("refuses one without the cookie, with another, or with two", async () => {
      const { cookie = "" } = visitor;
      for (const cookies of [
        undefined,
        `mgmt_authorize=${"a".repeat(43)}`,
        "mgmt_authorize=",
        `${cookie}; mgmt_authorize=${"b".repeat(43)}`,
      ]) {
        visitor.cookie = cookies;
        const { status, headers } = await visitor.submit(allow());
        expect([status, headers["location"]]).toEqual([403, undefined]);
      }
      visitor.cookie = `other=1; ${cookie}`;
      expect((await visitor.submit(allow())).status).toBe(303);
    });

    it.each(["", "a", "a".repeat(43)])("refuses one with the token %j", async (csrf) => {
      const form = new URLSearchParams({ user: user(), ...allow(), csrf }).toString();
      const headers = { origin: server.baseUrl, "content-type": "application/x-www-form-urlencoded" };
      const { status } = await visitor.send("POST", start, headers, form);
      expect(status).toBe(403);
      expect(consented()).toBe(false);
    });

    it("refuses a token that was made for another authorization request", async () => {
      const other = `/authorize?${encode({ ...goodRequest, state: "other" })}`;
      const { text } = await visitor.open(other);
      const [, csrf = ""] = /name="csrf" value="([^"]*)"/.exec(text) ?? [];
      const form = new URLSearchParams({ user: user(), ...allow(), csrf }).toString();
      const headers = { origin: server.baseUrl, "content-type": "application/x-www-form-urlencoded" };
      expect((await visitor.send("POST", start, headers, form)).status).toBe(403);
      expect((await visitor.send("POST", other, headers, form)).status).toBe(303);
    });

    it("refuses a form from before a restart of the server", async () => {
      await server.engine.load(server.engine.snapshot());
      expect((await visitor.submit(allow())).status).toBe(403);
    });
  });

  it("works in two tabs of one browser", async () => {
    await visitor.open(start);
    const cookie = visitor.cookie;
    const other = new PageVisitor(server.baseUrl);
    other.cookie = cookie;
    await other.open(`/authorize?${encode({ ...goodRequest, state: "other" })}`);
    expect(other.cookie).toBe(cookie);
    await visitor.submit({ user: user() });
    expect((await visitor.submit({ workspace: workspace(), decision: "allow" })).status).toBe(303);
    expect((await other.submit({ decision: "deny" })).status).toBe(303);
  });

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
    await visitor.open(start);
    const named = Object.entries(fields).map(([name, value]) => {
      if (value === "user") return [name, user()] as const;
      return [name, value === "other" ? server.engine.defaults.otherWorkspace.id : value] as const;
    });
    const { status, headers } = await visitor.submit(Object.fromEntries(named));
    expect([status, headers["location"]]).toEqual([400, undefined]);
    expect(consented()).toBe(false);
  });

  it("refuses a form of another type, and one that is too large", async () => {
    await visitor.open(start);
    expect((await visitor.submit({ user: user() }, { "content-type": "text/plain" })).status).toBe(400);
    expect((await visitor.submit({ user: user(), more: "a".repeat(70_000) })).status).toBe(413);
  });

  it("refuses a Host that is not its own (DNS rebinding)", async () => {
    const { port } = server;
    for (const host of [
      `evil.example:${String(port)}`,
      "127.0.0.1",
      "127.0.0.1:1",
      `127.0.0.1.evil.example:${String(port)}`,
    ]) {
      expect((await visitor.open(start, { host })).status).toBe(403);
    }
    expect((await visitor.open(start, { host: `localhost:${String(port)}` })).status).toBe(200);
  });

  it("works under each of its own names", async () => {
    const { port } = server;
    for (const name of ["localhost", "127.0.0.1"]) {
      const host = `${name}:${String(port)}`;
      const origin = `http://${host}`;
      const { text } = await visitor.open(start, { host });
      expect(text).toContain("Ada Lovelace");
      expect((await visitor.submit({ user: user() }, { host, origin })).status).toBe(200);
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
