import { spawnSync } from "node:child_process";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../packages/cli/test/bin.js";
import { inPty, programInPty } from "../../packages/cli/test/pty.js";

/** Clears the screen, sets the title of the window, and reverses the text that follows. */
const attack = "shop\u001b[2J\u009b2J\u001b]0;taken over\u0007\u202e";
const sequences = ["\u001b[2J", "\u009b2J", "\u001b]0;taken over", "\u202e"];

let service: Server;
let baseUrl: string;
beforeAll(async () => {
  await ensureBuilt();
  service = createServer((request, response) => {
    const project = { id: "proj_1", type: "project", name: attack };
    const message = { code: "auth:forbidden", message: attack, hint: attack };
    const isError = request.url?.includes("forbidden") ?? false;
    response.writeHead(isError ? 403 : 200, { "content-type": "application/json" });
    const isList = !request.url?.includes("proj_1");
    const page = { data: [project], pagination: { nextCursor: null, hasMore: false } };
    response.end(JSON.stringify(isError ? { error: message } : isList ? page : { data: project }));
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  // A server that listens on a host has an address of this form.
  baseUrl = `http://127.0.0.1:${String((service.address() as AddressInfo).port)}`;
});
afterAll(() => {
  service.close();
});

const hasPty = spawnSync("script", ["--version"]).status === 0;

describe.skipIf(!hasPty)("text of a service on a terminal", () => {
  const env = (): NodeJS.ProcessEnv => ({ MGMT_BASE_URL: baseUrl, MGMT_TOKEN: "token", NO_PAGER: "1" });

  it("reaches the terminal from a program that prints it as it is, which shows that the next test can fail", async () => {
    const program = `fetch("${baseUrl}/v1/projects").then((r) => r.json()).then((b) => console.log(b.data[0].name))`;
    const { raw } = await programInPty([process.execPath, "-e", program], []);
    for (const sequence of sequences) expect(raw).toContain(sequence);
  });

  it.each(["table", "json", "yaml", "csv", "ndjson", "env", "name"])(
    "by a resource with --output %s",
    async (format) => {
      const { raw, status } = await inPty(
        ["projects", "get", "proj_1", "--output", format, "--debug"],
        [],
        env(),
      );
      expect({ status, raw }).toMatchObject({ status: 0, raw: expect.stringContaining("proj_1") });
      for (const sequence of sequences) expect(raw).not.toContain(sequence);
    },
  );

  it("contains no control sequence in a list, an error, a question, or an option of one", async () => {
    const list = await inPty(["projects", "list"], [], env());
    const error = await inPty(["projects", "get", "proj_forbidden"], [], env());
    const choice = await inPty(["projects", "get"], [{ when: /proj_1/, type: "\u0003" }], env());
    const question = await inPty(["projects", "delete", "proj_1"], [{ when: /Type/, type: "\u0003" }], env());
    for (const { raw, screen } of [list, error, choice, question]) {
      expect(screen).toContain("shop\\u001b[2J");
      for (const sequence of sequences) expect(raw).not.toContain(sequence);
    }
  });
});
