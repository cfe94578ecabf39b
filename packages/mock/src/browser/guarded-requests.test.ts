import { describe, expect, it } from "vitest";
import { setupPage } from "../../test/browser/setup-page.js";

describe("a mock in a page", () => {
  const world = setupPage();
  const { setup } = world;
  const project = '{"name":"shop","createDatabase":false}';

  describe("whose worker does not pass its requests on any longer", () => {
    it("sends what the caller meant, although the caller changes it during the check", async () => {
      const mock = setup();
      await mock.start();
      world.page.forget();
      const headers = new Headers({ "content-type": "application/json" });
      headers.set("authorization", `Bearer ${await mock.tokens.user()}`);
      const init = { method: "POST", headers, body: project };
      const answer = fetch(`${mock.baseUrl}/v1/projects`, init);
      init.body = "{}";
      headers.delete("authorization");
      expect((await answer).status).toBe(201);
    });

    it("checks requests whatever their URLs are written with, and no others", async () => {
      const mock = setup();
      await mock.start();
      world.page.control("http://app.test/sw.js");
      const { baseUrl } = mock;
      for (const input of [
        new Request(`${baseUrl}/v1/me`),
        new URL(`${baseUrl}/v1/me`),
        "HTTPS://API.mgmt.test:443/v1/me",
        { toString: () => `${baseUrl}/v1/me` },
      ]) {
        const sent: unknown = Reflect.apply(fetch, undefined, [input]);
        await expect(sent).rejects.toMatchObject({ cause: { code: "mock:worker_replaced" } });
      }
      expect(world.page.network).toEqual([]);
      for (const input of ["https://other.test/", "https://api.mgmt.test.evil.test/"])
        await expect(fetch(input)).rejects.toThrow("Failed to fetch");
      expect(world.page.network).toEqual(["https://other.test/", "https://api.mgmt.test.evil.test/"]);
    });

    it("leaves the functions of the page as they were when it stops", async () => {
      const { fetch, XMLHttpRequest } = globalThis;
      const mock = setup();
      await mock.start();
      expect([globalThis.fetch, globalThis.XMLHttpRequest]).not.toContain(fetch);
      const wrapper: typeof fetch = (input, init) => guarded(input, init);
      const guarded = globalThis.fetch;
      globalThis.fetch = wrapper;
      await mock.stop();
      expect([globalThis.fetch, globalThis.XMLHttpRequest]).toEqual([wrapper, XMLHttpRequest]);
      await expect(globalThis.fetch(`${mock.baseUrl}/v1/me`)).rejects.toThrow("Failed to fetch");
      expect(world.page.network).toEqual([`${mock.baseUrl}/v1/me`]);
    });

    describe("and that uses XMLHttpRequest", () => {
      /** Sends a request, and resolves with how it ends. */
      const send = (url: string, act: (xhr: XMLHttpRequest) => void = () => undefined, isAsync = true) =>
        new Promise<string>((resolve) => {
          const xhr = new XMLHttpRequest();
          for (const type of ["load", "error"]) xhr.addEventListener(type, () => resolve(type));
          xhr.open("GET", url, isAsync);
          xhr.send();
          act(xhr);
          setTimeout(() => resolve("nothing"), 20);
        });

      it("sends it when the worker knows the page", async () => {
        const mock = setup();
        await mock.start();
        world.page.forget();
        expect(await send(`${mock.baseUrl}/v1/me`)).toBe("load");
        expect(world.page.worker?.hasPage).toBe(true);
        expect(await send("/other")).toBe("load");
      });

      it("refuses it when the worker was replaced, and no other request", async () => {
        const mock = setup();
        await mock.start();
        world.page.control("http://app.test/sw.js");
        expect(await send(`${mock.baseUrl}/v1/me`)).toBe("error");
        expect(await send("/other")).toBe("load");
        expect(world.page.sentByXhr).toEqual(["/other"]);
      });

      it("sends nothing that was aborted, or opened again, meanwhile", async () => {
        const mock = setup();
        await mock.start();
        expect(await send(`${mock.baseUrl}/v1/me`, (xhr) => xhr.abort())).toBe("nothing");
        expect(await send(`${mock.baseUrl}/v1/me`, (xhr) => xhr.open("GET", "/other"))).toBe("nothing");
        expect(world.page.sentByXhr).toEqual([]);
      });

      it("sends what the page waits for at once", async () => {
        const mock = setup();
        await mock.start();
        world.page.control("http://app.test/sw.js");
        expect(await send(`${mock.baseUrl}/v1/me`, undefined, false)).toBe("load");
      });
    });
  });
});
