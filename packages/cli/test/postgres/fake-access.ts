import type { DatabaseAccess } from "../../src/postgres/database-access.js";
import type { FakePostgres } from "./fake-postgres.js";

/** Returns how to connect to a fake server as the database `db_1`. */
export const fakeAccess = ({ port }: Pick<FakePostgres, "port">): DatabaseAccess => ({
  databaseId: "db_1",
  connectionId: "con_1",
  url: "",
  formatAs: () => "",
  host: "127.0.0.1",
  port,
  user: "ada",
  password: "secret",
  sslMode: "disable",
  isPooled: false,
});
