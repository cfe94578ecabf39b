import { describe, expect, it } from "vitest";
import { Cluster, newTenant } from "../../../platform/test/cluster.js";

const cluster = new Cluster();
const withheld = { code: "0A000", message: expect.stringMatching(/^the language \w+ is not available$/) };
const createLanguage = "create language other handler plpgsql_call_handler";

describe("a database of a tenant", () => {
  it("has no languages but those whose functions Postgres can interrupt, and neither has a copy", async () => {
    const source = await cluster.makeTenant();
    const copy = newTenant();
    await cluster.databases.create(copy.id, { type: "database", databaseId: source.id }, [copy.credential]);
    for (const { id } of [source, copy]) {
      const session = await cluster.connectAsAdmin(id);
      await expect(session.query(createLanguage)).rejects.toMatchObject(withheld);
      await session.end();
    }
    // The control: another database has it.
    const session = await cluster.connectAsAdmin("postgres");
    await session.query(`begin; ${createLanguage}; rollback`);
  });

  it("refuses each language that Postgres trusts, and lets its owner add other extensions", async () => {
    const { id, credential } = await cluster.makeTenant();
    const owner = await cluster.connect(id, credential);
    const { rows } = await owner.query<{ name: string }>(
      `select name from pg_available_extension_versions v
        where trusted and not installed and name in ('plperl', 'pltcl') and superuser order by 1`,
    );
    for (const { name } of rows) {
      // Its library may be missing on this machine.
      await expect(owner.query(`create extension ${name}`)).rejects.toThrow(
        /is not available|could not load library|could not access file/,
      );
    }
    await owner.query("create extension citext");
    await owner.query("create function three() returns int language plpgsql as 'begin return 3; end'");
    await owner.query("do 'begin perform public.three(); end'");
  });

  it("has nothing in a dump that says so", async () => {
    const { id } = await cluster.makeTenant();
    const session = await cluster.connectAsAdmin(id);
    const { rows } = await session.query(
      `select evtname as trigger, extname as extension from pg_event_trigger t
        left join pg_depend d on d.classid = 'pg_event_trigger'::regclass and d.objid = t.oid and d.deptype = 'e'
        left join pg_extension e on e.oid = d.refobjid`,
    );
    expect(rows).toEqual([{ trigger: "mgmt_check_languages", extension: "plpgsql" }]);
    await session.end();
  });
});
