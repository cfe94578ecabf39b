import { describe, expect, it } from "vitest";
import { withPolicy } from "../../../site/.vitepress/policy.mjs";

const page = (scripts: string): string =>
  `<!DOCTYPE html><html><head><meta charset="utf-8">${scripts}</head></html>`;

describe("the content security policy of the page Try it", () => {
  it("allows the inline scripts of the page by their hashes, and no others", () => {
    const html = withPolicy(
      page('<script id="dark">1</script><script type="module" src="/app.js"></script>'),
    );
    const [, scripts] = /script-src ([^;]+);/.exec(html) ?? [];
    expect(scripts).toBe("'self' blob: 'sha256-a4ayc/80/OGda4BO/1o/V0etpOqiLx1JwB5S3beHW0s='");
    expect(html).toContain("default-src 'none'");
    expect(html.replace("style-src-attr 'unsafe-inline'", "")).not.toMatch(/unsafe|connect-src|https?:/);
  });

  it("precedes all that it applies to", () => {
    const html = withPolicy(page("<script>1</script>"));
    expect(html.indexOf("Content-Security-Policy")).toBeLessThan(html.indexOf("<script"));
  });

  it("refuses a page in which it has no place", () => {
    expect(() => withPolicy("<html></html>")).toThrow("The page has no <meta");
  });
});
