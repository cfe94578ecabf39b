import { describe, expect, it } from "vitest";
import { mightBeName } from "../../contract/nameable-types.js";
import { inProcess, runInProcess } from "../../../test/in-process.js";
import { useSession } from "../../../test/terminal.js";

const session = useSession();

/** Makes a project with a database `reports`, a connection `app`, and a service `web` on `main`. Returns their ids. */
const build = async (name: string, database = "reports"): Promise<Record<string, string>> => {
  const { mgmt } = session;
  const create = async (...line: string[]): Promise<string> =>
    (await runInProcess([...line, "-o", "name"], session)).stdout.trim();
  const project = await create("projects", "create", name, "--no-create-database");
  const branches = await mgmt`projects branches list ${project} -o name`;
  const databaseId = await create(
    "databases",
    "create",
    database,
    "--project-id",
    project,
    "--no-connection",
  );
  const connection = await create("connections", "create", "app", "--database-id", databaseId);
  const service = await create(
    "services",
    "create",
    "web",
    "--project-id",
    project,
    "--branch-git-name",
    "main",
  );
  return { project, branch: branches.stdout.trim(), database: databaseId, connection, service };
};

const idIn = (json: unknown): string => (json as { id: string }).id;

const found = async (...line: string[]): Promise<{ status: number | null; id: string; stderr: string }> => {
  const { status, stdout, stderr } = await runInProcess([...line, "-o", "name"], session);
  return { status, id: stdout.trim(), stderr };
};

describe("a name with spaces or special characters", () => {
  it.each(["my shop", "R&D (eu)", "100% off", "50%2e", "team/eu", "a@b", "proj_ of mine", "🚀", 'it\'s "x"'])(
    "is found alone and in full names: %s",
    async (name) => {
      const ids = await build(name);
      for (const [group, text, id] of [
        ["projects", name, ids["project"]],
        ["branches", `${name}/@main`, ids["branch"]],
        ["branches", `${name}/main`, ids["branch"]],
        ["databases", `${name}/reports`, ids["database"]],
        ["databases", `${name}/main/reports`, ids["database"]],
        ["databases", `${name}/@main/reports`, ids["database"]],
        ["connections", `${name}/main/reports/app`, ids["connection"]],
        ["services", `${name}/main/web`, ids["service"]],
      ] as const)
        expect({ text, ...(await found(group, "get", text)) }).toEqual({ text, status: 0, id, stderr: "" });
      const listed = await found("databases", "list", "--project-id", name);
      expect(listed).toMatchObject({ status: 0, id: ids["database"] });
    },
  );

  it.each(["daily reports", "eu/reports", "a/b/c"])(
    "is found as that of a database and its connection: %s",
    async (name) => {
      const ids = await build(`of ${name}`, name);
      const inProject = inProcess({ env: { ...session.env, MGMT_PROJECT_ID: ids["project"] } });
      expect((await inProject`databases get ${name} -o name`).stdout.trim()).toBe(ids["database"]);
      for (const text of [`of ${name}/${name}`, `of ${name}/main/${name}`])
        expect(await found("databases", "get", text)).toMatchObject({ status: 0, id: ids["database"] });
      expect(await found("connections", "get", `of ${name}/main/${name}/app`)).toMatchObject({
        status: 0,
        id: ids["connection"],
      });
    },
  );

  it("is refused with 7 and the candidates if it can be read in two ways", async () => {
    const { mgmt } = session;
    const one = await build("two/ways", "sales");
    const two = idIn((await mgmt`projects create two --no-create-database -o json`).json);
    const created = await mgmt`databases create ${"ways/sales"} --project-id ${two} --no-connection -o name`;
    const { status, id, stderr } = await found("databases", "get", "two/ways/sales");
    expect({ status, id }).toEqual({ status: 7, id: "" });
    expect(stderr).toMatch(/name:ambiguous.*hint: /s);
    for (const each of [one["database"], created.stdout.trim()]) expect(stderr).toContain(each);
  });

  it("is refused with 6 and the similar names if nothing has it", async () => {
    await build("our shop");
    for (const [line, meant] of [
      [["projects", "get", "our shpo"], "Did you mean our shop?"],
      [["databases", "get", "our shop/main/raports"], "Did you mean our shop/main/reports?"],
      [["databases", "get", "our shpo/reports"], "Did you mean our shop?"],
      [["connections", "get", "our shop/reports/no app"], "(name:not_found)"],
    ] as const) {
      const { status, id, stderr } = await found(...line);
      expect({ line, status, id }).toEqual({ line, status: 6, id: "" });
      expect(stderr).toContain(meant);
    }
  });

  it.each([
    "",
    " ",
    ".",
    " .. ",
    "%2e",
    "%2E%2e",
    ".%2e",
    "null",
    "proj_1",
    "db_8s2d4f",
    "8s2d4f6g1h3j5k7l9q0w2e4r",
  ])("is not what is an id or names nothing: %j", (text) => {
    expect(mightBeName(text)).toBe(false);
  });
});
