import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../../test/folders.js";
import { useProjectsToChoose } from "../../../test/input/projects-to-choose.js";
import { type Step, inPty } from "../../../test/pty.js";

const folder = temporaryFolder();
const { session, projects } = useProjectsToChoose();

const listed = /Project:[\s\S]*shop-5/;

describe("a list to choose from", () => {
  it("is part of the commands that help after a question that was declined", async () => {
    const { mgmt } = session;
    const project = projects.get("needle") ?? "";
    const made = await mgmt`databases create kept --project-id ${project} -o name`;
    const database = made.stdout.trim();
    const nextOf = async (words: readonly string[], steps: readonly Step[]): Promise<string> => {
      const { status, screen } = await inPty([...words, "-o", "json"], steps, session.env, 5_000, folder);
      expect(status).toBe(3);
      expect(screen).toContain("confirmation:declined");
      return /"next":(\[\[.*?\]\])/.exec(screen)?.[1] ?? "none";
    };
    expect(
      await nextOf(
        ["projects", "delete"],
        [
          { when: listed, type: "needle\r" },
          { when: /to confirm:/, type: "no\r" },
        ],
      ),
    ).toBe(
      JSON.stringify([
        ["mgmt", "projects", "delete", "-o", "json", project, "--dry-run"],
        ["mgmt", "projects", "delete", "-o", "json", project, "--yes"],
      ]),
    );
    await mgmt`preview up --branch feature/kept --project-id ${project}`;
    const down = await nextOf(
      ["preview", "down", "--branch", "feature/kept"],
      [
        { when: listed, type: "needle\r" },
        { when: /Continue\?/, type: "n\r" },
      ],
    );
    expect(down).toContain(`"--project-id","${project}","--yes"]`);
    expect((await mgmt`databases get ${database}`).status).toBe(0);
  });

  it("creates a database in the project that it shows", async () => {
    const step: Step = { when: listed, type: "needle\r" };
    const words = ["databases", "create", "picked", "-o", "json"];
    const { status, screen } = await inPty(words, [step], session.env);
    expect(status).toBe(0);
    expect(screen).toMatch(/✔ Project: needle /);
    expect(screen).toContain(`"id": "${projects.get("needle") ?? "none"}"`);
  });

  it("lists what belongs to the default project, which may be a name", async () => {
    const env = { ...session.env, MGMT_PROJECT_ID: "needle" };
    const { server } = session;
    const { id } = await server.engine.seed.database(projects.get("needle") ?? "", { name: "of-needle" });
    const step: Step = { when: /Database:[\s\S]*of-needle/, type: "of-needle\r" };
    const { status, screen } = await inPty(["databases", "get", "-o", "json"], [step], env);
    expect(status).toBe(0);
    expect(screen).toContain(`"id": "${id}"`);
  });

  it("looks for a preview in the project that it shows", async () => {
    const step: Step = { when: listed, type: "needle\r" };
    const words = ["preview", "down", "--branch", "feature/pond"];
    const { status, screen } = await inPty(words, [step], session.env, undefined, folder);
    expect(status).toBe(0);
    expect(screen).toMatch(/✔ Project: needle /);
    expect(screen).toContain("The project has no branch feature/pond");
    const last = session.server.engine.requests.at(-1);
    expect(last?.path).toBe(`/v1/projects/${projects.get("needle") ?? "none"}/branches`);
  });

  it("names the databases of connections, and rotates the one that it shows", async () => {
    const { mgmt } = session;
    const created = await mgmt`databases create reports --project-id ${projects.get("needle") ?? ""} -o json`;
    const { id: databaseId } = created.json as { id: string };
    const other = await mgmt`connections create app --database-id ${databaseId} -o json`;
    const { id } = other.json as { id: string };
    const steps: Step[] = [
      { when: /Connection:[\s\S]*shop-/, type: "app reports\r" },
      { when: /Continue\?/, type: "n\r" },
    ];
    const { status, screen } = await inPty(["connections", "rotate"], steps, session.env);
    expect(status).toBe(3);
    expect(screen).toMatch(new RegExp(`✔ Connection: app  .*reports.*  ${id}`));
    expect(screen.slice(screen.indexOf("This will"))).toContain(id);
  });
});
