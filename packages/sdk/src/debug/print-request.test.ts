import { describe, expect, it, vi } from "vitest";
import { createClient } from "@mgmt/sdk";
import { answering, startServer, thrown } from "../../test/server.js";

describe("debug", () => {
  it("prints requests and responses, with no token, password or connection string", async () => {
    const secrets = ["hunter1", "hunter2", "hunter3", "hunter4", "hunter5", "hunter6"];
    const { baseUrl } = await answering(
      {
        data: {
          id: "proj_1",
          connectionString: "postgres://user:hunter2@db.test/app",
          note: "see postgres://user:hunter3@db.test/app",
          directConnection: { pass: "hunter4", user: "u" },
          envVars: { SOMETHING: "hunter5" },
          valueHint: "abcd",
          value: "hunter6",
        },
      },
      200,
      { "set-cookie": "session=hunter1" },
    );
    const lines: string[] = [];
    const client = createClient({ baseUrl, token: "hunter1", debug: (line) => void lines.push(line) });
    await client.request({
      method: "POST",
      path: "/v1/x",
      query: { token: "hunter2" },
      body: { password: "hunter3", name: "shop" },
    });
    const text = lines.join("\n");
    expect(lines).toHaveLength(2);
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).toContain('"name":"shop"');
    expect(text).toContain('"valueHint":"abcd"');
    expect(text).toContain("200");
  });

  it("prints what failed, and bodies that are not JSON by their length only", async () => {
    const { baseUrl } = await startServer((_, response, count) => {
      if (count === 1) return void response.destroy();
      response.writeHead(502, { "content-type": "text/html" }).end("<html>hunter2</html>");
    });
    const lines: string[] = [];
    await thrown(
      createClient({ baseUrl, token: false, maxRetries: 1 }).me.get({
        debug: (line) => void lines.push(line),
      }),
    );
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatch(/× GET .*\/v1\/me #1 connection:failed/);
    expect(lines[3]).toContain("20 characters that are not JSON");
    expect(lines.join("")).not.toContain("hunter2");
  });

  it("changes nothing about a call when its function fails, which is printed once", async () => {
    const warn = vi.spyOn(console, "warn").mockReturnValue();
    const { baseUrl } = await answering({ data: { id: "proj_1" } });
    const problem = new Error("The file is closed.");
    const client = createClient({ baseUrl, token: false, debug: () => Promise.reject(problem) });
    expect(await client.projects.get("proj_1")).toEqual({ id: "proj_1" });
    expect(await client.projects.get("proj_1")).toEqual({ id: "proj_1" });
    expect(warn.mock.calls).toEqual([[expect.stringContaining("debug"), problem]]);
    warn.mockRestore();
  });
});
