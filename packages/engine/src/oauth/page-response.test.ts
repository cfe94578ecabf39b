import { createHash } from "node:crypto";
import { type RunningServer, createServer } from "@mgmt/mock/server";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encode, goodRequest } from "../../test/oauth/oauth-api.js";
import { PageVisitor } from "../../test/oauth/page-visitor.js";

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
});
