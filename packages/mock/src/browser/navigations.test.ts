import { describe, expect, it, vi } from "vitest";
import { usePageLogin } from "../../test/browser/page-login.js";

describe("a login at a mock in a page", () => {
  const login = usePageLogin();
  const { start, begin, follow } = login;

  it("leaves for other pages of the authorization server, and for all of them after the mock has stopped", async () => {
    const mock = await start({ persist: "session", settings: { authUrl: "https://Login.mgmt.test" } });
    const { url } = await begin(mock);
    for (const other of ["/authorized", "/", "/app/authorize", "/token"])
      expect(login.page.navigate(`https://login.mgmt.test${other}`)).toBe("leaves");
    expect(await follow(new URL(`${url}#top`).href)).toContain("<h1>Sign in</h1>");
    await mock.stop();
    expect(login.page.navigate(url)).toBe("leaves");
  });

  it("loads the app again when the visitor goes back from the authorization page", async () => {
    const mock = await start();
    const { url } = await begin(mock);
    expect(login.page.navigate("http://app.test/cart", { isBack: true })).toBe("leaves");
    await follow(url);
    expect(login.page.navigate("http://app.test/cart")).toBe("leaves");
    expect(login.page.navigate("http://app.test/cart", { isBack: true })).toBe("responds");
  });

  it("leaves the app its navigations when the authorization page cannot be shown", async () => {
    const mock = await start();
    const { url } = await begin(mock);
    vi.stubGlobal("CSSStyleSheet", undefined);
    expect(login.page.navigate(url)).toBe("stays");
    await vi.waitFor(() => expect(login.defects).toEqual([expect.any(TypeError)]));
    expect(login.page.navigate("http://app.test/cart", { isBack: true })).toBe("leaves");
  });

  it("keeps the page, and says why, when the page would forget the login", async () => {
    const mock = await start({});
    const { url } = await begin(mock);
    expect(login.page.navigate(url)).toBe("stays");
    expect(login.defects).toEqual([
      expect.objectContaining({
        code: "mock:login_not_kept",
        message: expect.stringContaining('Pass setupMockWorker({ persist: "session" })'),
      }),
    ]);
  });

  it("says so once, as soon as a login begins, when the browser has no Navigation API", async () => {
    login.page.open({ hasNavigation: false });
    const mock = await start();
    expect(login.defects).toEqual([]);
    await begin(mock);
    await begin(mock);
    expect(login.defects).toEqual([
      expect.objectContaining({
        code: "mock:login_unsupported",
        message: expect.stringMatching(
          /Navigation API.+create clients with token: \(\) => mock\.tokens\.user/,
        ),
      }),
    ]);
  });
});
