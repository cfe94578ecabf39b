import { beforeEach, describe, expect, it } from "vitest";
import { RoleMemberships } from "./role-memberships.js";

const ran: string[] = [];
let leaving: () => Promise<void>;
beforeEach(() => {
  ran.length = 0;
  leaving = () => Promise.resolve();
});

const open = (): RoleMemberships =>
  new RoleMemberships(
    { join: (names) => `join ${names.join()}`, leave: (names) => `leave ${names.join()}` },
    (statements) => {
      ran.push(...statements);
      return statements.some((statement) => statement.startsWith("leave")) ? leaving() : Promise.resolve();
    },
  );
const nothing = (): Promise<void> => Promise.resolve();

describe("the roles that work needs", () => {
  it("are joined again by later work", async () => {
    const memberships = open();
    await memberships.runWith(["a", "a"], nothing);
    await memberships.runWith(["a"], nothing);
    expect(ran).toEqual(["join a", "leave a", "join a", "leave a"]);
  });

  it("are joined once by work at the same time, and left by the last of it", async () => {
    const memberships = open();
    await memberships.runWith(["a"], async () => {
      await memberships.runWith(["a", "b"], nothing);
      expect(ran).toEqual(["join a", "join b", "leave b"]);
      await memberships.leave(["a", "c"]);
      expect(await memberships.renew()).toBe(true);
    });
    expect(ran.slice(3)).toEqual(["leave c", "join a", "leave a"]);
    expect(await memberships.renew()).toBe(false);
  });

  it("do not fail work that is done if they cannot be left", async () => {
    leaving = () => Promise.reject(new Error("no connection"));
    expect(await open().runWith(["a"], () => Promise.resolve("done"))).toBe("done");
  });

  it("are none without a role, and for a platform that has all privileges", async () => {
    await open().runWith([], nothing);
    const superuser = new RoleMemberships(undefined, () => Promise.reject(new Error("ran")));
    await superuser.runWith(["a"], nothing);
    await superuser.leave(["a"]);
    expect([await superuser.renew(), ran]).toEqual([false, []]);
  });
});
