import { describe, expect, it } from "vitest";
import { CliError } from "./cli-error.js";
import { clientFailedError, clientKilledError, restoreFailedError } from "./postgres-errors.js";
import { conflict, dump, duplicate, ended, verbose } from "../../test/errors/client-output.js";

const hintOf = (error: unknown): string => (error instanceof CliError ? (error.hint ?? "") : "");

describe("the hint for a failed program", () => {
  it.each([duplicate, conflict, ended, verbose, dump, "", "pg_restore: error: unexpected end of file"])(
    "says that nothing was changed: %j",
    (stderr) => {
      const hint = hintOf(restoreFailedError(clientFailedError("pg_restore", stderr), "db_1"));
      expect(hint).toMatch(/^Nothing was changed in database db_1\. ./);
    },
  );

  it("is the server's own if it has one, and shows its detail", () => {
    const error = clientFailedError("pg_restore", ended);
    expect(error.message).toMatch(/\(The database held 16001 locks of 16000\)$/);
    expect(error.hint).toBe("Split the transaction.");
  });

  it("of a program that was ended names the signal", () => {
    const error = clientKilledError("pg_restore", "SIGKILL", "");
    expect(error).toMatchObject({ code: "program:killed", message: "pg_restore was ended by SIGKILL" });
    expect(hintOf(restoreFailedError(error, "db_1"))).toMatch(/^Nothing was changed.*no memory left/);
    expect(clientKilledError("pg_dump", "SIGSEGV", "pg_dump: error: x").message).toContain(
      "after it said: x",
    );
  });
});
