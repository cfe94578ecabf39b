import { type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encode, goodRequest } from "../../../test/oauth/oauth-api.js";
import { PageVisitor } from "../../../test/oauth/page-visitor.js";

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

  const consented = () => server.engine.rows.integrations.size > 0;

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
});
