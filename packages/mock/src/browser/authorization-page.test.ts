import { describe, expect, it } from "vitest";
import { usePageLogin } from "../../test/browser/page-login.js";

describe("a login at a mock in a page", () => {
  const login = usePageLogin();
  const { start, begin, follow } = login;

  it("shows the authorization page in place of the app", async () => {
    const mock = await start();
    const { url } = await begin(mock);
    expect(await follow(url)).toContain("<h1>Sign in</h1>");
    expect(login.page.network).toEqual([]);
    expect(login.defects).toEqual([]);
  });

  it("shows what a fault responds with, and how a request of the page is not valid", async () => {
    const mock = await start();
    const { url } = await begin(mock);
    mock.faults.add({ operation: "oauth.authorize", status: 503, times: 1 });
    expect(await follow(url)).toContain("An installed fault");
    mock.faults.add({ operation: "oauth.authorize", drop: "before", times: 1 });
    expect(await follow(url)).toBe("The connection was closed.");
    expect(await follow(`${mock.authUrl}/authorize`)).toContain("This sign-in link does not work");
    expect(login.defects).toEqual([]);
  });
});
