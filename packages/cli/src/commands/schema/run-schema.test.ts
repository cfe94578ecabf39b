import { describe, expect, it } from "vitest";
import { groups } from "../../contract/generated/groups.js";
import { expectSchema, expectValid, schemaOf, withoutOtherFields } from "../../../test/command-schemas.js";
import { runInProcess } from "../../../test/in-process.js";
import { useSession } from "../../../test/terminal.js";

const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();

const session = useSession();

describe("mgmt schema", () => {
  it.each(definitions.map((definition) => [definition.commandPath.join(" "), definition] as const))(
    "describes mgmt %s",
    async (_, definition) => {
      const { operationId, result, error, exitCodes } = await schemaOf(definition.commandPath.join(" "));
      expect(operationId).toBe(definition.id);
      expect(result === null).toBe(definition.envelope === "none" && definition.method !== "DELETE");
      for (const schema of [result, error]) if (schema) expectSchema(schema);
      expect(exitCodes.find(({ code }) => code === 4)?.errors).not.toEqual([]);
    },
  );

  it("describes what commands print", async () => {
    const { mgmt } = session;
    const created = await mgmt`projects create shop -o json`;
    expectValid((await schemaOf("projects create")).result, created.json);
    const list = await schemaOf("databases list");
    expectValid(list.result, (await mgmt`databases list -o json`).json);
    expectValid(list.streamLine, JSON.parse((await mgmt`databases list -o ndjson`).stdout));
    const failed = await mgmt`projects delete proj_nope -y -o json`;
    expectValid(withoutOtherFields(list.error), failed.errors.at(-1));
    const { id } = await session.server.engine.seed.project();
    const deletion = await schemaOf("projects delete");
    expectValid(deletion.result, (await mgmt`projects delete ${id} proj_nope -y -o json`).json);
  });

  it("lists the exit codes with the error codes that lead to them", async () => {
    const { exitCodes } = await schemaOf("projects get");
    expect(exitCodes).toContainEqual({ code: 6, meaning: "not found", errors: ["project:not_found"] });
  });

  it("describes the results of ensure, of several items and of a dry run", async () => {
    const { as, env } = session;
    const ensured = await schemaOf("projects ensure");
    for (const created of [true, false]) {
      const { json, errors } = await session.mgmt`projects ensure repeated --logical-id repeated -o json`;
      expect(errors).toHaveLength(created ? 0 : 1);
      expectValid(ensured.result, json);
    }
    const { bulkResult, dryRun } = await schemaOf("projects create");
    const stdin = '{"name":"one"}\n{"name":"two","logicalId":"repeated"}\n';
    const several = await as(env["MGMT_TOKEN"] ?? "", { stdin })`projects create --ndjson - -o json`;
    expect(several).toMatchObject({ status: 10, json: [{ status: "created" }, { status: "failed" }] });
    expectValid(withoutOtherFields(bulkResult), several.json);
    const dry = await session.mgmt`projects create three --dry-run -o json`;
    expectValid(withoutOtherFields(dryRun), dry.json);
    expect(await schemaOf("projects list")).toMatchObject({ bulkResult: null });
    expect(await schemaOf("doctor")).toMatchObject({ bulkResult: null, dryRun: null });
  });

  it("describes a command that is no operation, and refuses one that does not exist", async () => {
    expect(await schemaOf("login")).toMatchObject({ command: "mgmt login", operationId: null });
    expect((await runInProcess(["schema", "projects", "lst"])).status).toBe(2);
    expect((await runInProcess(["schema"])).status).toBe(3);
    const group = await runInProcess(["schema", "config"]);
    expect(group.status).toBe(2);
    expect(group.stderr).toContain("Add one of: list, get, set, unset.");
  });
});
