import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { inProcess } from "./in-process.js";
import { type Session, startSession } from "./terminal.js";
import { openWorkplace, startRepository } from "./workplace.js";

let session: Session;
let shop: string;
let reports: string;
let previewReports: string;
let feature: string;
beforeAll(async () => {
  session = await startSession();
  const { mgmt } = session;
  const idOf = ({ json }: { json: unknown }): string => (json as { id: string }).id;
  shop = idOf(await mgmt`projects create shop -o json --fields id`);
  feature = idOf(await mgmt`projects branches create ${shop} feature/x -o json --fields id`);
  reports = idOf(await mgmt`databases create reports --project-id ${shop} -o json --fields id`);
  previewReports = idOf(
    await mgmt`databases create reports --project-id ${shop} --branch-id ${feature} -o json --fields id`,
  );
  await session.server.engine.seed.project({ name: "twin" });
  await session.server.engine.seed.project({ name: "twin" });
});
afterAll(() => session.close());

const nameOf = async (line: ReturnType<Session["mgmt"]>): Promise<string> => (await line).stdout.trim();

describe("a name in place of an id", () => {
  it("finds a project by its name or logical id", async () => {
    const { mgmt } = session;
    expect(await nameOf(mgmt`projects get shop -o name`)).toBe(shop);
    const tagged = await mgmt`projects create other --logical-id tagged -o name`;
    expect(await nameOf(mgmt`projects get tagged -o name`)).toBe(tagged.stdout.trim());
  });

  it("finds a database by its project, branch and name", async () => {
    const { mgmt } = session;
    expect(await nameOf(mgmt`databases get shop/main/reports -o name`)).toBe(reports);
    expect(await nameOf(mgmt`databases get shop/feature/x/reports -o name`)).toBe(previewReports);
    expect(await nameOf(mgmt`databases get ${`${shop}/@feature/x/reports`} -o name`)).toBe(previewReports);
  });

  it("finds a branch of the default project or of a named one", async () => {
    const { mgmt, env } = session;
    const linked = inProcess({ env: { ...env, MGMT_PROJECT_ID: shop } });
    expect(await nameOf(linked`branches get @feature/x -o name`)).toBe(feature);
    expect(await nameOf(mgmt`branches get shop/@feature/x -o name`)).toBe(feature);
  });

  it("is accepted in flags as well", async () => {
    const { mgmt } = session;
    const { json } = await mgmt`databases create extra --project-id shop --branch-id @feature/x -o json`;
    expect(json).toMatchObject({ project: { id: shop }, branchId: feature });
    const list = await mgmt`databases list --project-id shop -o name`;
    expect(list.stdout).toContain(reports);
  });

  it("is refused with 7 and the candidates if it is ambiguous, and nothing is changed", async () => {
    const { mgmt, server } = session;
    const before = server.engine.requests.length;
    const { status, stdout, errors } = await mgmt`projects delete twin --yes -o json`;
    expect({ status, stdout }).toEqual({ status: 7, stdout: "" });
    const { error } = errors[0] as { error: { code: string; hint: string; next: string[][] } };
    expect(error.code).toBe("name:ambiguous");
    for (const [, , , id = ""] of error.next) {
      expect(error.hint).toContain(id);
      expect((await mgmt`projects get ${id}`).status).toBe(0);
    }
    expect(error.next).toHaveLength(2);
    const sent = server.engine.requests.slice(before).map(({ method }) => method);
    expect(new Set(sent)).toEqual(new Set(["GET"]));
    expect((await mgmt`databases get shop/reports`).stderr).toContain(previewReports);
  });

  it("is refused for several services, with commands that are not deprecated", async () => {
    const { mgmt, server } = session;
    const { id } = await server.engine.seed.project({ name: "twins" });
    await server.engine.seed.branch(id, { gitName: "other" });
    await mgmt`services create web --project-id ${id}`;
    await mgmt`services create web --project-id ${id} --branch-git-name other`;
    const { status, errors } = await mgmt`services get twins/web -o json`;
    expect(status).toBe(7);
    const { error } = errors[0] as { error: { message: string; next: string[][] } };
    expect(error.message).toBe('2 services are named "twins/web"');
    for (const [command, ...next] of error.next) {
      expect([command, ...next.slice(0, 2)]).toEqual(["mgmt", "services", "get"]);
      expect((await mgmt`${next[0] ?? ""} ${next[1] ?? ""} ${next[2] ?? ""}`).status).toBe(0);
    }
    expect(error.next).toHaveLength(2);
  });

  it("exits with 6 if nothing has it", async () => {
    const { mgmt } = session;
    for (const name of ["shop/main/nothing", "nobody/main/reports", "shop/@nothing"]) {
      const { status, stderr } = await mgmt`databases get ${name}`;
      expect({ name, status }).toEqual({ name, status: 6 });
      expect(stderr).toContain("name:not_found");
    }
    const { status, stderr } = await mgmt`projects get nothing`;
    expect(status).toBe(6);
    expect(stderr).toContain("project:not_found");
  });

  it("costs no request when it is an id", async () => {
    const { mgmt, server } = session;
    const before = server.engine.requests.length;
    await mgmt`projects get ${shop}`;
    expect(server.engine.requests.length - before).toBe(1);
  });
});

describe("names in hand-written commands", () => {
  it("are accepted wherever ids are", async () => {
    const place = await openWorkplace();
    startRepository(place);
    const databaseId = (
      await place.run(["databases", "list", "--query", "[?name=='reports'].id"])
    ).stdout.trim();
    for (const name of ["reports", "shop/reports", "shop/main/reports"]) {
      const written = await place.run(["env", name, "--file", ".env.named", "-o", "json"]);
      expect(written).toMatchObject({ status: 0, json: { databaseId } });
    }
    expect((await place.run(["psql", "shop/reports"])).status).toBe(0);
    expect((await place.run(["run", "--database-id", "shop/reports", "--", "npm", "test"])).status).toBe(0);
    const preview = ["preview", "up", "--project-id", "shop", "--branch", "named", "-o", "json"];
    expect((await place.run(preview)).json).toMatchObject({ branch: "named", created: true });
    for (const line of [
      ["env", "shop/nothing"],
      ["psql", "shop/nothing"],
    ]) {
      const { status, stderr } = await place.run(line);
      expect(status).toBe(6);
      expect(stderr).toContain("name:not_found");
    }
    await place.close();
  });
});
