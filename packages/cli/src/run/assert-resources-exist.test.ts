import { describe, expect, it } from "vitest";
import { runInProcess } from "../../test/in-process.js";
import { useSession } from "../../test/terminal.js";

const session = useSession();

describe("a list of what does not exist", () => {
  it.each([
    "databases list --project-id proj_000000000000000000000000",
    "databases list --project-id proj_000000000000000000000000 --all",
    "databases list --branch-id br_000000000000000000000000",
    "connections list --database-id db_000000000000000000000000",
    "services list --project-id proj_000000000000000000000000",
    "workspaces service-tokens list wksp_000000000000000000000000",
  ])("is refused with 6: %s", async (line) => {
    const { status, stdout, errors } = await runInProcess([...line.split(" "), "-o", "json"], session);
    expect({ status, stdout }).toEqual({ status: 6, stdout: "" });
    expect(errors).toMatchObject([{ error: { code: "name:not_found" } }]);
  });

  it("is refused with 6 and the similar names for a branch: projects branches list --git-name", async () => {
    const { mgmt, server } = session;
    const { id } = await server.engine.seed.project();
    await server.engine.seed.branch(id, { gitName: "feature/cart" });
    const { status, stdout, errors } =
      await mgmt`projects branches list ${id} --git-name feature/cat -o json`;
    expect({ status, stdout }).toEqual({ status: 6, stdout: "" });
    expect(errors).toMatchObject([
      { error: { code: "name:not_found", hint: expect.stringContaining("Did you mean feature/cart?") } },
    ]);
    const result = await mgmt`projects branches list ${id} --git-name feature/cart -o json`;
    expect(result).toMatchObject({ status: 0, json: [{ gitName: "feature/cart" }] });
    const contains = await mgmt`projects branches list ${id} --git-name-contains nothing -o json`;
    expect(contains).toMatchObject({ status: 0, json: [] });
  });

  it("is empty for what exists", async () => {
    const { mgmt, server } = session;
    const { id } = await server.engine.seed.project();
    expect(await mgmt`services list --project-id ${id} -o json`).toMatchObject({ status: 0, json: [] });
    expect(await mgmt`services list --project-id ${id} --all -o json`).toMatchObject({ status: 0, json: [] });
    const onMain = ["services", "list", "--project-id", id, "--branch-git-name", "main", "-o", "json"];
    expect(await runInProcess(onMain, session)).toMatchObject({ status: 0, json: [] });
    await server.engine.seed.branch(id, { gitName: "empty-branch" });
    expect(await mgmt`databases list --branch-git-name empty-branch -o json`).toMatchObject({
      status: 0,
      json: [],
    });
  });
});
