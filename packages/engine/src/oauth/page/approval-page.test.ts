import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RunningServer, createServer } from "@mgmt/engine/http";
import { PageVisitor } from "../../../test/oauth/page-visitor.js";

describe("the address of an approval", () => {
  let server: RunningServer;
  let visitor: PageVisitor;
  let approvalId: string;
  let path: string;
  beforeEach(async () => {
    server = await createServer({ engineOptions: { deterministic: "approval page" } });
    visitor = new PageVisitor(server.baseUrl);
    const token = await server.engine.tokens.agent();
    const { id } = await server.engine.seed.project();
    const response = await fetch(`${server.baseUrl}/v1/projects/${id}`, {
      method: "DELETE",
      headers: { authorization: `Bearer ${token}` },
    });
    // A 403 `approval_required`, as the contract says.
    const { error } = (await response.json()) as { error: { approvalId: string; approvalUrl: string } };
    approvalId = error.approvalId;
    path = error.approvalUrl.replace(server.baseUrl, "");
  });
  afterEach(() => server.close());

  it("shows the sponsor the request, its expiration, and how to decide", async () => {
    const { status, text, headers } = await visitor.open(path);
    expect(status).toBe(200);
    expect(text).toContain("<h1>An agent is waiting for your approval</h1>");
    expect(text).toContain("DELETE /v1/projects/");
    expect(text).toContain(`mgmt dev approvals approve ${approvalId} --window 1h`);
    expect(text).toContain(`mgmt dev approvals deny ${approvalId}`);
    expect(text).not.toMatch(/<script|<form|src=|ey[A-Z]/);
    expect(headers).toMatchObject({
      "content-security-policy": expect.stringContaining("default-src 'none'"),
      "x-frame-options": "DENY",
      "cache-control": "no-store",
    });
  });

  it.each([
    ["approve", "You approved this request"],
    ["approveWindow", "You have approved requests like this for a limited time"],
    ["deny", "You denied this request"],
  ] as const)("shows the status after %s, and no decision", async (decision, heading) => {
    await server.engine.approvals[decision](approvalId);
    const { text } = await visitor.open(path);
    expect(text).toContain(`<h1>${heading}</h1>`);
    expect(text).not.toContain("mgmt dev approvals");
  });

  it("shows that it has expired", async () => {
    await server.engine.clock.advance(15 * 60_000);
    expect((await visitor.open(path)).text).toContain("<h1>This approval has expired</h1>");
  });

  it("is not shown at a longer path", async () => {
    for (const longer of [`/x${path}`, `${path}/x`]) {
      const { status, text } = await visitor.open(longer);
      expect([status, text.includes("route:not_found")]).toEqual([404, true]);
    }
  });

  it("refuses forms, so it cannot decide", async () => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      expect((await visitor.send(method, path, {}, "decision=approve")).status).toBe(404);
    }
    expect(server.engine.approvals.list()).toMatchObject([{ id: approvalId, status: "pending" }]);
  });

  it.each(["apr_none", "apr_constructor"])("reports that %s does not exist", async (id) => {
    const { status, text } = await visitor.open(`/approvals/${id}`);
    expect([status, text.includes("This approval does not exist")]).toEqual([404, true]);
  });

  it.each(["/approvals/", "/approvals/proj_a", "/approvals/__proto__", "/approvals/apr_a/b"])(
    "returns 404 for %s",
    async (other) => {
      const { status, text } = await visitor.open(other);
      expect([status, text.includes("route:not_found")]).toEqual([404, true]);
    },
  );

  it("exists on loopback only", async () => {
    const open = await createServer({ host: "0.0.0.0" });
    try {
      const { status, text } = await new PageVisitor(`http://127.0.0.1:${String(open.port)}`).open(path);
      expect([status, text.includes("only on loopback")]).toEqual([403, true]);
    } finally {
      await open.close();
    }
  });
});
