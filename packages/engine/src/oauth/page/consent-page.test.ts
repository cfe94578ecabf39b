import { describe, expect, it } from "vitest";
import { start, useAuthorizationPage } from "../../../test/oauth/authorization-page.js";
import { encode, goodRequest } from "../../../test/oauth/oauth-api.js";

describe("the page of /authorize", () => {
  const site = useAuthorizationPage();

  const consented = () => site.server.engine.rows.integrations.size > 0;

  it("prints names as text, whatever they are", async () => {
    const hostile = `"><img src=x onerror=alert(1)>&'`;
    const { id } = await site.server.engine.oauth.registerClient({
      redirectUris: ["http://127.0.0.1/cb"],
      name: hostile,
    });
    const { id: owner } = await site.server.engine.seed.user({ name: hostile, email: hostile });
    await site.server.engine.seed.workspace({ name: hostile, ownerId: owner });
    const request = { ...goodRequest, client_id: id, redirect_uri: "http://127.0.0.1:9/cb", state: hostile };
    const first = await site.visitor.open(`/authorize?${encode(request)}`);
    const second = await site.visitor.submit({ user: owner });
    for (const { status, text } of [first, second]) {
      expect(status).toBe(200);
      expect(text).not.toContain("<img");
      expect(text).toContain("&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;&#39;");
    }
  });

  it("shows the problem to a user without a workspace, and allows only a denial", async () => {
    const { id } = await site.server.engine.seed.user();
    await site.visitor.open(start);
    const { text } = await site.visitor.submit({ user: id });
    expect(text).toContain("You are not a member of a workspace");
    expect(text).not.toContain('value="allow"');
    expect((await site.visitor.submit({ decision: "allow" })).status).toBe(400);
    expect(consented()).toBe(false);
  });
});
