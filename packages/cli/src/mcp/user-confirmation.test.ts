import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ElicitResult } from "@modelcontextprotocol/client";
import { beforeEach, describe, expect, it } from "vitest";
import type { ConnectedClient } from "../../test/mcp/mcp-client.js";
import { useMcpSetup } from "../../test/mcp/mcp-setup.js";

const mcp = useMcpSetup();
const { open, asUser, rows, seedProject } = mcp;

describe.each(["2026-07-28", "legacy"])(
  "a user's credential that may change something, with a client of %s",
  (version) => {
    const openAsUser = (answer: ElicitResult, isForm: boolean): Promise<ConnectedClient> =>
      open({
        env: asUser(),
        options: { allowsUserWrites: true },
        clientOptions: {
          // Before there were modes, a client with elicitation had forms.
          capabilities: isForm ? { elicitation: version === "legacy" ? {} : { form: {} } } : {},
          versionNegotiation: { mode: version === "legacy" ? "legacy" : { pin: version } },
        },
        prepare: (client) => {
          if (!isForm) return;
          client.setRequestHandler("elicitation/create", ({ params }) => {
            questions.push(params.message);
            return answer;
          });
        },
      });
    const questions: string[] = [];
    beforeEach(() => void questions.splice(0));

    it("shows all arguments in the question, however long one is", async () => {
      const { id } = await seedProject();
      const { call } = await openAsUser({ action: "decline" }, true);
      const envFile = `${"./".repeat(500)}.env`;
      await call("databases_ensure", { envFile, logicalId: "seen", projectId: id });
      expect(questions).toEqual([expect.stringContaining(`"logicalId":"seen","projectId":"${id}"`)]);
      expect(questions[0]?.length).toBeLessThan(400);
    });

    it.each([
      ["projects.delete", { surplus: true }, "mcp:invalid_arguments"],
      ["projects.explode", {}, "mcp:unknown_operation"],
      ["projects.transfer", { projectId: "proj_1" }, "mcp:secret_argument"],
    ])("does not ask about a call that is not valid: %s %j", async (operation, args, code) => {
      const { call } = await openAsUser({ action: "accept", content: { confirm: true } }, true);
      expect(await call("operation_write", { operation, arguments: args })).toMatchObject({
        error: { code },
      });
      expect(questions).toEqual([]);
    });

    it.each<[string, ElicitResult, boolean, string | undefined]>([
      ["confirms", { action: "accept", content: { confirm: true } }, true, undefined],
      ["says no in the form", { action: "accept", content: { confirm: false } }, true, "mcp:not_confirmed"],
      ["declines", { action: "decline" }, true, "mcp:not_confirmed"],
      ["closes the form", { action: "cancel" }, true, "mcp:not_confirmed"],
      ["cannot be asked", { action: "cancel" }, false, "mcp:cannot_confirm"],
    ])("asks the user, who %s", async (_, answer, isForm, code) => {
      const { id } = await seedProject();
      const { call } = await openAsUser(answer, isForm);
      const result = await call("branches_ensure", { projectId: id, gitName: "feature" });
      expect(result).toMatchObject(
        code === undefined ? { created: true } : { isError: true, error: { code } },
      );
      expect(rows().branches.list({ projectId: id })).toHaveLength(code === undefined ? 2 : 1);
    });

    it.each([
      ["the id", (id: string) => id, undefined],
      ["another id", () => "proj_other", "mcp:not_confirmed"],
      ["a yes", () => "true", "mcp:not_confirmed"],
    ])("in a protected folder, asks the user to type the id, who types %s", async (_, answer, code) => {
      const { id } = await seedProject();
      mkdirSync(join(mcp.folder, ".mgmt"));
      writeFileSync(join(mcp.folder, ".mgmt/link.json"), JSON.stringify({ protect: true }));
      const { call } = await openAsUser({ action: "accept", content: { confirm: answer(id) } }, true);
      const result = await call("operation_write", {
        operation: "projects.delete",
        arguments: { projectId: id },
      });
      expect(result).toMatchObject(
        code === undefined ? { isError: false } : { isError: true, error: { code } },
      );
      expect(
        rows()
          .projects.list({})
          .map((project) => project.id)
          .includes(id),
      ).toBe(code !== undefined);
    });
  },
);
