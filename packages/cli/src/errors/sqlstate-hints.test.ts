import { describe, expect, it } from "vitest";
import { clientFailedError, unreachableDatabaseError } from "./postgres-errors.js";

describe("the hint for an error of Postgres", () => {
  it.each([
    ["terminating connection due to administrator command", "thousands of partitions"],
    ["server closed the connection unexpectedly", "connection was lost"],
    ['extension "vector" is not available', "does not have it"],
    ['role "app" does not exist', "--no-owner --no-privileges"],
    ["out of shared memory", "lock only a limited number"],
    ["canceling statement due to statement timeout", "statement_timeout"],
    ["something that nobody knows", "Correct what the message names"],
  ])("follows from the code: %s", (said, part) => {
    const { hint, next } = clientFailedError("pg_restore", `pg_restore: error: ERROR:  ${said}`);
    expect(hint).toContain(part);
    expect(JSON.stringify([hint, next])).not.toContain("auth");
  });

  it.each([
    ['FATAL:  password authentication failed for user "u"', "percent-encoded"],
    ['FATAL:  database "shop" does not exist', "name of the database"],
    [
      'FATAL:  no pg_hba.conf entry for host "1.2.3.4", user "u", database "d", no encryption',
      "only with TLS",
    ],
    ["server does not support SSL, but SSL was required", "sslmode=disable"],
    ['root certificate file "/root/.postgresql/root.crt" does not exist', "PGSSLROOTCERT"],
    ['could not translate host name "nowhere" to address: Name or service not known', "host name"],
    ["Network is unreachable", "IPv6"],
    ["FATAL:  unsupported startup parameter: options", "direct connection string"],
    ["channel binding is required, but server did not offer it", "channel_binding"],
    ["Connection refused", "can be reached"],
  ])("of a server that cannot be used says why: %s", (said, part) => {
    const text = `psql: error: connection to server at "h" (192.0.2.1), port 5432 failed: ${said}`;
    const error = unreachableDatabaseError("h/shop", text);
    expect([error.message, error.hint]).toEqual([
      expect.stringContaining("Database h/shop cannot be used: connection to server at"),
      expect.stringContaining(part),
    ]);
  });
});
