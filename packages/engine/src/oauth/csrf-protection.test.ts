import { beforeEach, describe, expect, it } from "vitest";
import { start, useAuthorizationPage } from "../../test/oauth/authorization-page.js";
import { encode, goodRequest } from "../../test/oauth/oauth-api.js";
import { PageVisitor } from "../../test/oauth/page-visitor.js";

describe("the page of /authorize", () => {
  const site = useAuthorizationPage();

  const user = () => site.server.engine.defaults.user.id;
  const workspace = () => site.server.engine.defaults.workspace.id;
  const consented = () => site.server.engine.rows.integrations.size > 0;

  describe("protection of its form", () => {
    const allow = () => ({ workspace: workspace(), decision: "allow" });
    beforeEach(async () => {
      await site.visitor.open(start);
      await site.visitor.submit({ user: user() });
    });

    it.each([
      ["another site", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
      ["another port of this machine", { origin: "http://127.0.0.1:1", "sec-fetch-site": "same-site" }],
      ["an opaque origin", { origin: "null", "sec-fetch-site": "cross-site" }],
      ["another site without Origin", { origin: undefined, "sec-fetch-site": "cross-site" }],
      ["the same site, another origin", { origin: undefined, "sec-fetch-site": "same-site" }],
      ["no page at all", { origin: undefined, "sec-fetch-site": "none" }],
    ])("refuses one from %s with 403", async (_name, headers) => {
      const { status, headers: received } = await site.visitor.submit(allow(), headers);
      expect([status, received["location"]]).toEqual([403, undefined]);
      expect(consented()).toBe(false);
    });

    it("refuses another origin's request for the page", async () => {
      expect((await site.visitor.open(start, { origin: "https://evil.example" })).status).toBe(403);
    });

    it("refuses one without the cookie, with another, or with two", async () => {
      const { cookie = "" } = site.visitor;
      for (const cookies of [
        undefined,
        `mgmt_authorize=${"a".repeat(43)}`,
        "mgmt_authorize=",
        `${cookie}; mgmt_authorize=${"b".repeat(43)}`,
      ]) {
        site.visitor.cookie = cookies;
        const { status, headers } = await site.visitor.submit(allow());
        expect([status, headers["location"]]).toEqual([403, undefined]);
      }
      site.visitor.cookie = `other=1; ${cookie}`;
      expect((await site.visitor.submit(allow())).status).toBe(303);
    });

    it.each(["", "a", "a".repeat(43)])("refuses one with the token %j", async (csrf) => {
      const form = new URLSearchParams({ user: user(), ...allow(), csrf }).toString();
      const headers = { origin: site.server.baseUrl, "content-type": "application/x-www-form-urlencoded" };
      const { status } = await site.visitor.send("POST", start, headers, form);
      expect(status).toBe(403);
      expect(consented()).toBe(false);
    });

    it("refuses a token that was made for another authorization request", async () => {
      const other = `/authorize?${encode({ ...goodRequest, state: "other" })}`;
      const { text } = await site.visitor.open(other);
      const [, csrf = ""] = /name="csrf" value="([^"]*)"/.exec(text) ?? [];
      const form = new URLSearchParams({ user: user(), ...allow(), csrf }).toString();
      const headers = { origin: site.server.baseUrl, "content-type": "application/x-www-form-urlencoded" };
      expect((await site.visitor.send("POST", start, headers, form)).status).toBe(403);
      expect((await site.visitor.send("POST", other, headers, form)).status).toBe(303);
    });

    it("refuses a form from before a restart of the server", async () => {
      await site.server.engine.load(site.server.engine.snapshot());
      expect((await site.visitor.submit(allow())).status).toBe(403);
    });
  });

  it("works in two tabs of one browser", async () => {
    await site.visitor.open(start);
    const cookie = site.visitor.cookie;
    const other = new PageVisitor(site.server.baseUrl);
    other.cookie = cookie;
    await other.open(`/authorize?${encode({ ...goodRequest, state: "other" })}`);
    expect(other.cookie).toBe(cookie);
    await site.visitor.submit({ user: user() });
    expect((await site.visitor.submit({ workspace: workspace(), decision: "allow" })).status).toBe(303);
    expect((await other.submit({ decision: "deny" })).status).toBe(303);
  });
});
