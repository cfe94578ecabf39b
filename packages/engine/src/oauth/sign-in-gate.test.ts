import { randomBytes } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type RunningServer, createServer } from "@mgmt/engine/http";
import { SignInGate } from "./sign-in-gate.js";
import { encode, goodRequest } from "../../test/oauth/oauth-api.js";
import { PageVisitor, type Visited } from "../../test/oauth/page-visitor.js";

const signInKey = randomBytes(32).toString("base64url");
const path = `/authorize?${encode(goodRequest)}`;

describe("a server with a sign-in key", () => {
  let server: RunningServer;
  let visitor: PageVisitor;
  let approval: string;
  beforeEach(async () => {
    server = await createServer({ engineOptions: { deterministic: "sign-in key", signInKey } });
    visitor = new PageVisitor(server.baseUrl);
    const { id } = await server.engine.seed.project();
    const response = await fetch(`${server.baseUrl}/v1/projects/${id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${await server.engine.tokens.agent()}` },
    });
    // A 403 `approval_required`, as the contract says.
    const { error } = (await response.json()) as { error: { approvalUrl: string } };
    approval = error.approvalUrl.replace(server.baseUrl, "");
  });
  afterEach(() => server.close());

  const isKeyPage = ({ text }: Visited): boolean => text.includes('name="signInKey"');
  const showsAccount = ({ text }: Visited): boolean => text.includes("Ada Lovelace");

  it("asks a new browser for the key, in a page with one field", async () => {
    const page = await visitor.open(path);
    expect(page.status).toBe(200);
    expect([...page.text.matchAll(/<input[^>]* name="(\w+)"/g)].map(([, name]) => name)).toEqual([
      "signInKey",
    ]);
    expect(showsAccount(page)).toBe(false);
    expect(page.headers["content-security-policy"]).toMatch(/script-src 'sha256-[^ ;]+';/);
    expect(page.headers["set-cookie"]).toBeUndefined();
  });

  it("shows the page after the correct key, and remembers the browser", async () => {
    await visitor.open(path);
    const accepted = await visitor.submit({ signInKey });
    expect(accepted).toMatchObject({ status: 303, headers: { location: path } });
    const [cookie = "", ...attributes] = (accepted.headers["set-cookie"] ?? "").split("; ");
    expect(attributes).toEqual(["Path=/authorize", "HttpOnly", "SameSite=Lax"]);
    expect(cookie).toMatch(new RegExp(`^mgmt_sign_in_${String(server.port)}=[\\w-]{43}$`));
    expect(cookie).not.toContain(signInKey);
    visitor.cookie = cookie;
    const page = await visitor.open(path);
    expect([isKeyPage(page), showsAccount(page)]).toEqual([false, true]);
    await server.engine.reset();
    visitor.cookie = cookie;
    expect(showsAccount(await visitor.open(path))).toBe(true);
  });

  it.each([
    ["spaces", "  "],
    ["another key", randomBytes(32).toString("base64url")],
    ["the first half of the key", signInKey.slice(0, 21)],
    ["the key and more", `${signInKey}A`],
    ["the key in the other case", signInKey === signInKey.toLowerCase() ? "x" : signInKey.toLowerCase()],
  ])("refuses %s", async (_, wrong) => {
    await visitor.open(path);
    const refused = await visitor.submit({ signInKey: wrong });
    expect([refused.status, isKeyPage(refused), refused.headers["set-cookie"]]).toEqual([
      403,
      true,
      undefined,
    ]);
    expect(refused.text).not.toContain(wrong.trim() || "value=");
  });

  it.each([
    ["none", ""],
    ["an empty one", "mgmt_sign_in_PORT="],
    ["the key itself", `mgmt_sign_in_PORT=${signInKey}`],
    ["a guess", `mgmt_sign_in_PORT=${"A".repeat(43)}`],
    ["that of another port", `mgmt_sign_in_1=COOKIE`],
  ])("asks a browser with this cookie for the key: %s", async (_, template) => {
    const { headers } = await visitor.send(
      "POST",
      path,
      { "content-type": "application/x-www-form-urlencoded" },
      encode({ signInKey }),
    );
    const value = /=([\w-]+)/.exec(headers["set-cookie"] ?? "")?.[1] ?? "";
    const cookie = template.replace("PORT", String(server.port)).replace("COOKIE", value);
    const page = await visitor.send("GET", path, { cookie });
    expect([isKeyPage(page), showsAccount(page)]).toEqual([true, false]);
  });

  it("grants nothing to a form that skips the key", async () => {
    const { user, workspace } = server.engine.defaults;
    const form = encode({ user: user.id, workspace: workspace.id, decision: "allow" });
    const answer = await visitor.send(
      "POST",
      path,
      { "content-type": "application/x-www-form-urlencoded", origin: server.baseUrl },
      form,
    );
    expect([isKeyPage(answer), answer.headers["location"]]).toEqual([true, undefined]);
    expect(server.engine.rows.integrations.size).toBe(0);
  });

  it("asks for the key before it reports an error to the client, and then drops the fragment of the address", async () => {
    const invalid = `/authorize?${encode({ ...goodRequest, scope: "everything" })}`;
    expect(isKeyPage(await visitor.open(invalid))).toBe(true);
    const { headers } = await visitor.submit({ signInKey });
    visitor.cookie = headers["set-cookie"]?.split(";", 1)[0];
    const redirect = await visitor.open(invalid);
    expect(redirect.headers["location"]).toMatch(/error=invalid_scope.*#_$/);
  });

  it("shows approvals to browsers with the key alone", async () => {
    expect(isKeyPage(await visitor.open(approval))).toBe(true);
    const { status, headers } = await visitor.submit({ signInKey });
    expect([status, headers["location"]]).toEqual([303, approval]);
    expect(headers["set-cookie"]).toContain("; Path=/approvals;");
    visitor.cookie = headers["set-cookie"]?.split(";", 1)[0];
    expect((await visitor.open(approval)).text).toContain("An agent is waiting for your approval");
    const form = { "content-type": "application/x-www-form-urlencoded" };
    const decided = await visitor.send("POST", approval, form, "decision=approve");
    expect([decided.status, decided.headers["location"]]).toEqual([303, approval]);
    expect(server.engine.approvals.list()).toMatchObject([{ status: "pending" }]);
  });

  it("writes the key to no log", async () => {
    await visitor.open(path);
    await visitor.submit({ signInKey });
    expect(server.engine.requests.length).toBeGreaterThan(1);
    expect(JSON.stringify(server.engine.requests)).not.toContain(signInKey);
  });

  it("is needed for nothing when the server has none", async () => {
    const open = await createServer();
    try {
      const page = await new PageVisitor(open.baseUrl).open(path);
      expect([isKeyPage(page), showsAccount(page)]).toEqual([false, true]);
    } finally {
      await open.close();
    }
  });
});

describe("the limit of wrong keys", () => {
  const request = (key: string): Parameters<SignInGate["respondUnlessSignedIn"]>[0] => ({
    method: "POST",
    path,
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: encode({ signInKey: key }),
  });

  it("refuses the eleventh in a minute, never the correct key, and forgets them afterwards", () => {
    const now = vi.fn(() => 1_000);
    const gate = new SignInGate(signInKey, "http://127.0.0.1:4300", now);
    const guess = (key = "wrong"): number | undefined =>
      gate.respondUnlessSignedIn(request(key), path)?.status;
    expect(Array.from({ length: 10 }, () => guess())).toEqual(Array.from({ length: 10 }, () => 403));
    const refused = gate.respondUnlessSignedIn(request("wrong"), path);
    expect([refused?.status, refused?.headers?.["retry-after"]]).toEqual([429, "60"]);
    expect(guess(signInKey)).toBe(303);
    now.mockReturnValue(60_999);
    expect(guess()).toBe(429);
    now.mockReturnValue(61_000);
    expect(guess()).toBe(403);
  });
});
