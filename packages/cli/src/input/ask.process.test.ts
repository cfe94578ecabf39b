import { beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../test/bin.js";
import { inPty, type Step } from "../../test/pty.js";
import { useSession } from "../../test/terminal.js";

const session = useSession();
beforeAll(ensureBuilt);

/** Patterns are short, because a narrow terminal wraps the questions. */
describe.each([20, 80, 200])("prompts in a terminal of %i columns", (columns) => {
  const answer = async (words: readonly string[], steps: readonly Step[]): Promise<void> => {
    const { status, screen } = await inPty(words, steps, session.env, columns);
    expect({ status, screen }).toMatchObject({ status: 0 });
  };

  it("ask for a choice and for the name of what is deleted", async () => {
    const { defaults } = session.server.engine;
    await session.mgmt`workspaces service-tokens create ${defaults.workspace.id} robot`;
    await answer(
      ["workspaces", "service-tokens", "delete"],
      [
        { when: /Workspace/, type: "\r" },
        { when: /Service/, type: "\r" },
        { when: /Type/, type: "robot\r" },
      ],
    );
  });

  it("ask for a secret and for a confirmation", async () => {
    const { seed, tokens, rows, defaults } = session.server.engine;
    const { id } = await seed.project();
    const token = await tokens.otherUser();
    await answer(
      ["projects", "transfer", id],
      [
        { when: /Recipient/, type: `${token}\r` },
        { when: /Continue/, type: "y\r" },
      ],
    );
    expect(rows.projects.get(id)?.workspaceId).not.toBe(defaults.workspace.id);
  });

  it("ask for a string", async () => {
    const { id } = await session.server.engine.seed.project();
    await answer(["services", "create", "--project-id", id], [{ when: /Display/, type: "web\r" }]);
    const services = await session.mgmt`services list --project-id ${id} -o json`;
    expect(services.json).toMatchObject([{ name: "web" }]);
  });
});
