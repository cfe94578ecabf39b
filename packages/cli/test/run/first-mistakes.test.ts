import { describe, expect, it } from "vitest";
import { inProcess, runInProcess } from "../in-process.js";
import { useSession } from "../terminal.js";

const session = useSession();

describe("a mistake of a new user", () => {
  it("is a wrong token, and the hint names the variable and the command, not an HTTP header", async () => {
    const mgmt = inProcess({ env: { ...session.env, MGMT_TOKEN: "abc" } });
    const { status, stderr } = await mgmt`projects list`;
    expect(status).toBe(4);
    expect(stderr).toMatch(/hint: .*mgmt login.*MGMT_TOKEN/);
    expect(stderr).not.toMatch(/Bearer|Authorization/);
  });

  it("is a transfer without the project, which is not moved although it is the default", async () => {
    const { engine } = session.server;
    const { id } = await engine.seed.project();
    const workspaceOf = (): unknown => engine.rows.projects.get(id)?.workspaceId;
    const before = workspaceOf();
    const env = { ...session.env, MGMT_PROJECT_ID: id };
    const stdin = await engine.tokens.otherUser();
    const line = ["projects", "transfer", "--recipient-access-token-file", "-", "--yes"];
    const { status, stderr } = await runInProcess(line, { env, stdin });
    expect(status).toBe(3);
    expect(stderr).toContain("Missing <project-id>");
    expect(workspaceOf()).toBe(before);
  });

  it("is the name of a branch that does not exist, which is reported once", async () => {
    const { id } = await session.server.engine.seed.project();
    const mgmt = inProcess({ env: { ...session.env, MGMT_PROJECT_ID: id } });
    const { status, stderr } = await mgmt`branches delete feature/x --yes`;
    expect(status).toBe(6);
    expect(stderr.match(/feature\/x/g)).toHaveLength(1);
  });

  it("is an invalid id, and its only issue is printed once", async () => {
    const { status, stderr } = await session.mgmt`branches delete br_a.b --yes`;
    expect(status).toBe(7);
    expect(stderr.match(/<branch-id>/g)).toHaveLength(1);
    expect(stderr).toContain("hint: Correct what the message names");
  });

  it("is not to leave out a workspace that the service knows", async () => {
    const { status, stdout } = await session.mgmt`workspaces service-tokens list -o name`;
    expect(status).toBe(0);
    expect(stdout).toMatch(/^stk_\w+\n$/);
  });

  it("is to read in the help what a flag does not do", async () => {
    const { stdout } = await session.mgmt`projects create --help`;
    expect(stdout.replaceAll(/\s+/g, " ")).toContain("unless you pass --no-create-database");
    expect(stdout).not.toContain("opposite");
  });
});
