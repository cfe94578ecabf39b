import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Up, useRecordedPlace } from "../../test/commands/preview/place.js";

const { place, shop } = useRecordedPlace();

describe("the branch of a preview", () => {
  const job = { GITHUB_ACTIONS: "true", GITHUB_REF: "refs/heads/job" };

  it.each([
    ["of the folder", {}, "", "folder"],
    ["of the CI job", job, "", "job"],
    ["of --branch", job, "--branch=flag", "flag"],
  ])("is that %s", async (_, variables, flag, branch) => {
    shop.startBranch("folder");
    const words = flag === "" ? "--timeout=5m" : flag;
    const { json } = await place.mgmtIn(place.folder, variables)`preview up -o json --show-secrets ${words}`;
    expect(json).toMatchObject({ branch });
  });
});

describe("the project of a preview", () => {
  const link = async (projectId: string): Promise<void> => {
    mkdirSync(join(place.folder, ".mgmt"));
    writeFileSync(join(place.folder, ".mgmt/link.json"), JSON.stringify({ projectId }));
  };

  it("is that of the flag, else of the variable, else of the link, else one that a person chooses", async () => {
    const { seed } = place.session.server.engine;
    const [flag, variable, linked] = [
      await seed.project({ name: "flag" }),
      await seed.project({ name: "variable" }),
      await seed.project({ name: "linked" }),
    ];
    const projectOf = async (variables: NodeJS.ProcessEnv, word = "--timeout=5m"): Promise<unknown> => {
      const up = await place.mgmtIn(place.folder, variables)`preview up --branch a -o json ${word}`;
      const { databaseId } = up.json as Up;
      const { json } = await place.mgmt`databases get ${databaseId} -o json`;
      return (json as { project: { name: string } }).project.name;
    };
    await link(linked.id);
    expect(await projectOf({ MGMT_PROJECT_ID: variable.id }, `--project-id=${flag.id}`)).toBe("flag");
    expect(await projectOf({ MGMT_PROJECT_ID: variable.id }, "--project-id=flag")).toBe("flag");
    expect(await projectOf({ MGMT_PROJECT_ID: variable.id })).toBe("variable");
    expect(await projectOf({ MGMT_PROJECT_ID: undefined })).toBe("linked");
  });

  it("is chosen on a terminal, and the next command names it", async () => {
    const reply = (stderr: string): string | undefined => (stderr.includes("Project") ? "shop\n" : undefined);
    const variables = { MGMT_PROJECT_ID: undefined };
    const { status, stdout } = await place.mgmtIn(place.folder, variables, {
      terminal: true,
      reply,
    })`preview up --branch a`;
    expect({ status, stdout }).toMatchObject({ status: 0, stdout: expect.stringContaining("postgresql://") });
    expect(await place.branches()).toEqual(["main", "a"]);
  });
});

describe("the preview of a branch", () => {
  const upFrom = async (address: string | undefined): Promise<string> => {
    shop.isClone = address !== undefined;
    if (address !== undefined) shop.useRemote(address);
    const { json, stderr } = await place.mgmt`preview up --branch a -o json`;
    expect(stderr).not.toContain("error");
    return (json as Up).databaseId;
  };
  const web = "https://git.example/web.git";

  it("is that of the repository, or the one that was made without one", async () => {
    const manual = await upFrom(undefined);
    expect(await upFrom("https://git.example/shop.git")).toBe(manual);
    await place.mgmt`preview down --branch a --yes`;
    const ofShop = await upFrom("https://git.example/shop.git");
    const ofWeb = await upFrom(web);
    expect(ofWeb).not.toBe(ofShop);
    expect(await upFrom("https://git.example/shop.git")).toBe(ofShop);
    shop.isClone = false;
    expect(await place.mgmt`preview up --branch a`).toMatchObject({
      status: 7,
      stderr: expect.stringContaining("preview:several"),
    });
    await place.mgmt`databases delete ${ofShop} --yes`;
    expect(await upFrom(undefined)).toBe(ofWeb);
  });

  it("is not on a branch that always exists: that of production", async () => {
    await place.mgmt`projects branches create ${place.projectId} --git-name live`;
    const { engine } = place.session.server;
    const branch = engine.store.branches.find({ projectId: place.projectId, gitName: "live" });
    engine.rows.branches.update(branch?.id ?? "", { role: "production" });
    const result = await place.mgmt`preview up --branch live`;
    expect(result).toMatchObject({ status: 2, stderr: expect.stringContaining("preview:default_branch") });
  });

  it("is not guessed where git refuses the folder, and needs no git", async () => {
    shop.rejection = "detected dubious ownership";
    const before = place.requestCount;
    const refused = { status: 1, stderr: expect.stringContaining("preview:git_refuses") };
    expect(await place.mgmt`preview up --branch a`).toMatchObject(refused);
    expect(place.requestCount).toBe(before);
    const listed = await place.mgmt`preview list`;
    expect(listed).toMatchObject({ status: 0, stderr: expect.stringContaining("dubious ownership") });
    const { status, stderr } = await place.mgmtIn(place.folder, {
      PATH: place.folder,
    })`preview up --branch a`;
    expect(status, stderr).toBe(0);
  });

  it("is all that is deleted with it: that of another repository on the same branch stays", async () => {
    const [ofShop, ofWeb] = [await upFrom("https://git.example/shop.git"), await upFrom(web)];
    const { json } = await place.mgmt`preview down --branch a --yes -o json`;
    expect(json).toEqual({ branch: "a", databaseId: ofWeb, branchId: null });
    expect((await place.databases()).map(({ id }) => id)).toEqual([place.sourceId, ofShop]);
  });
});
