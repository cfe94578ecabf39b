import { describe, expect, it } from "vitest";
import { startCannedServer } from "../../../test/canned-server.js";
import { inProcess, runInProcess } from "../../../test/in-process.js";
import { useSession } from "../../../test/terminal.js";

const session = useSession();

describe("mgmt open", () => {
  it("prints the URL of a resource by id and by name where there is no terminal", async () => {
    const { mgmt, server, env } = session;
    const { id, database } = await server.engine.seed.project({ name: "opened" });
    const url = `${server.baseUrl}/v1/projects/${id}`;
    for (const target of [id, "opened"]) {
      expect(await mgmt`open ${target}`).toMatchObject({ status: 0, stdout: `${url}\n`, stderr: "" });
    }
    const name = `opened/${database?.name ?? ""}`;
    expect((await mgmt`open ${name} -o json`).json).toEqual({
      url: `${server.baseUrl}/v1/databases/${database?.id ?? ""}`,
      opened: false,
    });
    const linked = inProcess({ env: { ...env, MGMT_PROJECT_ID: id } });
    expect((await linked`open`).stdout).toBe(`${url}\n`);
  });

  it("prints the URL of the API's description, also without a credential", async () => {
    const { baseUrl } = session.server;
    const { stdout } = await runInProcess(["open", "docs", "--base-url", `${baseUrl}/`]);
    expect(stdout).toBe(`${baseUrl}/v1/doc\n`);
    expect((await fetch(stdout.trim())).status).toBe(200);
  });

  it("uses the domain of a service", async () => {
    const { mgmt, server } = session;
    const { id: projectId } = await server.engine.seed.project();
    const { id } = await server.engine.seed.app(projectId);
    const domain = server.engine.rows.apps.get(id)?.endpointDomain ?? "";
    expect(domain).toMatch(/^[\w-]+(\.[\w-]+)+$/);
    expect(await mgmt`open ${id}`).toMatchObject({ status: 0, stdout: `https://${domain}/\n`, stderr: "" });
  });

  it("says that a deployment without a domain has no page", async () => {
    const { mgmt, server } = session;
    const { id: projectId } = await server.engine.seed.project();
    const { id: appId } = await server.engine.seed.app(projectId);
    const { id } = await server.engine.seed.deployment(appId, { status: "created" });
    const { status, stdout, stderr } = await mgmt`open ${id}`;
    expect({ status, stdout, stderr }).toEqual({
      status: 6,
      stdout: "",
      stderr: expect.stringContaining("open:no_page"),
    });
  });

  it.each([
    ["open", 3, "There is no default project to open"],
    ["open nothing-of-that-name", 6, "name:not_found"],
    ["open nothing/of/that-name", 6, "name:not_found"],
    ["open proj_000000000000000000000000", 6, "project:not_found"],
    ["open usr_000000000000000000000000", 2, "mgmt open cannot open"],
    ["open docs --base-url api.test", 2, "must be an absolute URL"],
    ["open a b", 2, 'does not accept the argument "b"'],
  ])("prints no URL for an invalid command line: %s", async (line, code, why) => {
    const { status, stdout, stderr } = await runInProcess(line.split(" "), { env: session.env });
    expect({ status, stdout, stderr }).toEqual({
      status: code,
      stdout: "",
      stderr: expect.stringContaining(why),
    });
  });

  it.each(["file:///etc/passwd", "javascript:alert(1)", "calc", 7, null])(
    "opens nothing but web addresses, whatever the service sends: %j",
    async (url) => {
      const canned = await startCannedServer(() => ({ body: { data: { id: "proj_1", url } } }));
      const id = "proj_000000000000000000000000";
      const { status, stdout, stderr } = await runInProcess(["open", id, "--browser"], { env: canned.env });
      expect({ status, stdout, stderr }).toEqual({
        status: 6,
        stdout: "",
        stderr: expect.stringContaining("open:no_page"),
      });
      canned.close();
    },
  );
});
