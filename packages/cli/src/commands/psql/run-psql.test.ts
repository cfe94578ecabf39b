import { beforeEach, describe, expect, it } from "vitest";
import { type DatabasePlace, useDatabasePlace } from "../../../test/commands/db/database-place.js";

const current = useDatabasePlace();
let place: DatabasePlace;
beforeEach(() => {
  place = current();
});

describe("mgmt psql", () => {
  it.each([
    ["COPY -- --command select", ["--command", "select"], "copy"],
    ["COPY", [], "copy"],
    ["-- --command select", ["--command", "select"], "shop"],
    ["", [], "shop"],
  ] as const)(
    "passes what follows the database on, and the password in the environment: %s",
    async (words, args, name) => {
      const line = ["psql", ...words.replace("COPY", place.copy).split(" ").filter(Boolean)].join(" ");
      const { status, stderr } = await place.run(line, {
        env: { MGMT_PROJECT_ID: place.projectId, PGHOST: "other" },
      });
      expect(status, stderr).toBe(0);
      const [call] = place.programs.calls;
      const [connection] = place.server.engine.rows.connections.list({ databaseId: place[name] });
      expect(call?.args).toEqual(args);
      expect(call?.env).toMatchObject({
        PGHOST: "127.0.0.1",
        PGPORT: expect.stringMatching(/^\d+$/),
        PGDATABASE: "postgres",
        PGUSER: connection?.user,
        PGPASSWORD: connection?.pass,
      });
      expect(call?.env).not.toHaveProperty("MGMT_TOKEN");
    },
  );

  it("ends with the status of psql", async () => {
    place.psql = () => ({ status: 3 });
    expect((await place.run(`psql ${place.copy}`)).status).toBe(3);
  });

  it("says how to get psql where there is none", async () => {
    const result = await place.run(`psql ${place.copy}`, { env: { PATH: place.folder } });
    expect(result.status).toBe(127);
    expect(result.stderr).toMatch(/program:not_found.*hint: Install the client programs of Postgres/s);
    expect(result.stderr).toContain("or use mgmt env with another client");
  });
});
