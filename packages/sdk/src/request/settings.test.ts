import { describe, expect, it } from "vitest";
import { InvalidArgumentError, createClient } from "@mgmt/sdk";
import { json, startServer, thrown } from "../../test/server.js";

const project = { id: "proj_1", name: "shop" };

describe("the base URL", () => {
  const client = (baseUrl: string) => createClient({ baseUrl, token: false });

  it("may end in slashes or a line break and may have a path", async () => {
    const { baseUrl, seen } = await startServer((_, response) => json(response, 200, { data: project }));
    await client(`${baseUrl}/`).projects.get("a");
    await client(`${baseUrl}/proxy//`).projects.get("b");
    await client(`${baseUrl}\n`.replace("http", "HTTP")).projects.get("c");
    const urls = ["/v1/projects/a", "/proxy/v1/projects/b", "/v1/projects/c"];
    expect(seen.map(({ url }) => url)).toEqual(urls);
  });

  it.each([
    ["", "must be passed or set in MGMT_BASE_URL; or use cliLogin()"],
    ["api.example.com", "must be an absolute URL"],
    ["/v1", "must be an absolute URL"],
    ["ftp://api.example.com", "https:// or http://"],
    ["https:api.example.com", "must be an absolute URL"],
    ["https:/api.example.com", "must be an absolute URL"],
    ["https:\\\\api.example.com", "must be an absolute URL"],
    ["https://api.exam\nple.com", "must be an absolute URL"],
    ["https://[api.example.com", "must be an absolute URL"],
    ["https://user:hunter2@api.example.com", "must not contain a credential"],
    ["https://api.example.com?x=1", "must not have a query"],
    ["https://api.example.com/#x", "must not have a query or fragment"],
    ["https://api.example.com/v1", "nor end in /v1"],
    ["https://api.example.com/v1/", "nor end in /v1"],
  ])("is refused if it is %j", (baseUrl, problem) => {
    expect(() => client(baseUrl)).toThrow(InvalidArgumentError);
    expect(() => client(baseUrl)).toThrow(problem);
    expect(() => client(baseUrl)).not.toThrow("hunter2");
  });

  it("cannot be left by a path that does not start with a slash", async () => {
    const { baseUrl, seen } = await startServer((_, response) => json(response, 200, {}));
    const call = client(baseUrl).request({ method: "GET", path: "@example.com/v1/projects" });
    expect(await thrown(call)).toMatchObject({ argument: "path" });
    expect(seen).toEqual([]);
  });
});

describe("invalid input", () => {
  const client = createClient({ baseUrl: "http://127.0.0.1:9", token: false });

  it("includes a timeout that is not above 0", async () => {
    for (const timeoutMs of [0, -1, Number.NaN]) {
      expect(await thrown(client.projects.get("x", { timeoutMs }))).toMatchObject({ argument: "timeoutMs" });
      expect(() => createClient({ baseUrl: "https://x.test", token: false, timeoutMs })).toThrow(
        InvalidArgumentError,
      );
    }
  });
});
