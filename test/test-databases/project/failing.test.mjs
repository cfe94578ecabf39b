import { createDatabaseTest } from "@mgmt/platform/vitest";

const kept = createDatabaseTest({ keepOnFailure: true });

kept("fails", () => {
  throw new Error("It has no database");
});
kept("fails with a database", ({ database }) => {
  throw new Error(`It has ${database.database}`);
});

const broken = createDatabaseTest({ setup: "echo one >> failures.txt; echo 'no table x' >&2; exit 1" });

for (const name of ["first", "second"]) broken(name, ({ database }) => database);
