import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { start, useAuthorizationPage } from "../../test/oauth/authorization-page.js";

describe("the page of /authorize", () => {
  const site = useAuthorizationPage();

  it("runs no script, loads nothing, refuses framing, is not stored, and leaks no URL", async () => {
    const { headers, text } = await site.visitor.open(start);
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
