import { describe, expect, it } from "vitest";
import { groups } from "../contract/generated/groups.js";
import { assertBody } from "./assert-body.js";
import { runInProcess } from "../../test/in-process.js";
import { useSession } from "../../test/terminal.js";

const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();

const session = useSession();

describe("a body", () => {
  it.each<[string[], unknown, string]>([
    [["databases", "create"], { projectId: "p", nmae: "x" }, "nmae is not known here. Did you mean name?"],
    [["databases", "create"], { regoin: "x" }, "regoin is not known here. Did you mean region?"],
    [["databases", "create"], { region: "eu-central-2" }, "Did you mean eu-central-1"],
    [["databases", "create"], { name: null }, "name must be a string, but has no value"],
    [
      ["databases", "create"],
      { source: { type: "database", databasId: "x" } },
      "source.databasId is not known here. Did you mean databaseId?",
    ],
    [
      ["databases", "create"],
      { logicalId: "a b" },
      'logicalId must have only letters, digits, ".", "_" and "-"',
    ],
    [["projects", "create"], { region: "inherit" }, "region must be one of: us-east-1"],
    [["projects", "create"], JSON.parse('{"__proto__":{"name":"x"}}'), "__proto__ is not known here"],
    [["projects", "update", "proj_1"], { settings: { a: 1 } }, "settings.a must be an object, not a number"],
  ])("of %s is refused before anything is sent: %o", async (words, body, problem) => {
    const before = session.server.engine.requests.length;
    const line = [...words, "--body", JSON.stringify(body)];
    const { status, stdout, stderr } = await runInProcess(line, session);
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toContain(`error: --body: `);
    expect(stderr).toContain(problem);
    expect(stderr).toMatch(/hint: Nothing was sent\. mgmt api (POST|PATCH) \/v1\/\S+ --input FILE/);
    expect(session.server.engine.requests.length).toBe(before);
  });

  it("with several problems is refused with all of them, at most five", async () => {
    const body = Object.fromEntries([..."abcdefg"].map((name) => [`${name}x`, 1]));
    const { stderr } = await session.mgmt`projects create --body ${JSON.stringify(body)}`;
    expect(stderr.match(/is not known here/g)).toHaveLength(5);
    expect(stderr).toContain("2 more problems");
  });

  it("is refused with the number of its line, and no line is sent", async () => {
    const before = session.server.engine.requests.length;
    const stdin = '{"name":"one"}\n\n{"name":"two","regin":"eu-west-3"}\n';
    const line = "projects create --ndjson - -o json".split(" ");
    const { status, errors } = await runInProcess(line, { ...session, stdin });
    expect(status).toBe(2);
    expect(errors).toMatchObject([
      {
        error: {
          code: "usage:invalid_value",
          message: expect.stringContaining("--ndjson: line 3: regin is not known here. Did you mean region?"),
        },
      },
    ]);
    expect(session.server.engine.requests.length).toBe(before);
  });

  it("can lack what flags add", async () => {
    const project = await session.server.engine.seed.project();
    const source = await session.server.engine.seed.database(project.id);
    const line = [
      "databases",
      "create",
      "--body",
      '{"source":{"type":"database"}}',
      "--project-id",
      project.id,
    ];
    const { status } = await runInProcess(
      [...line, "--source-database-id", source.id, "-o", "json"],
      session,
    );
    expect(status).toBe(0);
  });

  it("is not checked by mgmt api, which the hint names", async () => {
    const line = ["api", "POST", "/v1/projects", "--input", "-"];
    const { status, stderr } = await runInProcess(line, { ...session, stdin: '{"nmae":"x"}' });
    expect({ status, stderr }).toEqual({ status: 7, stderr: expect.stringContaining("validation:failed") });
  });

  const examples = definitions.flatMap((definition) =>
    (definition.body?.examples ?? []).map((body) => ({ row: definition, body })),
  );
  it.each(examples.map(({ row: definition, body }) => [definition.id, body, definition] as const))(
    "of the contract's examples is accepted: %s %o",
    (_, body, definition) => {
      // Examples of the contract are objects.
      expect(() => assertBody(definition, body as Record<string, unknown>, "--body")).not.toThrow();
    },
  );

  it("has a schema for every operation with a body", () => {
    for (const definition of definitions) {
      if (definition.body)
        expect(() => assertBody(definition, { "no such field": 1 }, "--body")).toThrow("is not known here");
    }
  });
});
