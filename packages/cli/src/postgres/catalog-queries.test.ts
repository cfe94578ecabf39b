import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { root } from "../../../../scripts/generate/contract/contract.js";
import { catalogQueries } from "./catalog-queries.js";

const source = join(root, "packages/cli/src");

const keywords =
  "select from join on where and or not exists case when then else end as in any all array order by limit only is null with show";

/** Returns what a session looks up by its `search_path` in a statement: functions, operators, types and tables without a schema. */
const unqualified = (sql: string): string[] => {
  const withoutTexts = sql.replaceAll(/'(?:[^']|'')*'/g, "''").replaceAll(/"(?:[^"]|"")*"/g, '""');
  const withoutQualified = withoutTexts
    .replaceAll(/\boperator\(pg_catalog\.[^\s)]+\)/g, " ")
    .replaceAll(/::pg_catalog\.(?:\w+|"")(?:\[\])?/g, " ");
  const names = [...withoutQualified.matchAll(/(?<![\w.])([a-z_]\w*)\s*\(/g)].flatMap(([, name = ""]) =>
    keywords.split(" ").includes(name) && name !== "in" ? [] : [name],
  );
  const tables = [...withoutQualified.matchAll(/\b(?:from|join)\s+(?!pg_catalog\.)([\w.]+)/g)].flatMap(
    ([, name = ""]) => name,
  );
  const operators =
    withoutQualified.match(/[-+*/<>=~!@#%^&|`?:]+|\b(?:i?like|between|similar|distinct)\b/gi) ?? [];
  return [...names, ...tables, ...operators];
};

describe("the SQL that the command sends to databases", () => {
  it.each(Object.entries(catalogQueries))("finds nothing by the search path: %s", (_, sql) => {
    expect(unqualified(sql)).toEqual([]);
    expect(sql).not.toContain(";");
    expect(sql).not.toContain("\\");
  });

  it.each([
    ["select format('%I', c.relname) from pg_catalog.pg_class c", ["format"]],
    ["select c.oid from pg_class c", ["pg_class"]],
    ["select 1 from pg_catalog.pg_class c where c.oid = 1", ["="]],
    ["select 1 from pg_catalog.pg_class c where c.oid in (1)", ["in"]],
    ["select c.relname::text from pg_catalog.pg_class c", ["::"]],
    ["select 1 from pg_catalog.pg_class c where c.relname like 'a'", ["like"]],
    ["select json_agg (pg_catalog.lower('a') || 'b')", ["json_agg", "||"]],
  ])("is not %s", (sql, names) => {
    expect(unqualified(sql)).toEqual(names);
  });

  it("is all in two places", () => {
    const object =
      "(?:table|view|index|schema|function|role|database|extension|sequence|type|domain|trigger|policy)";
    const statement = new RegExp(
      String.raw`^\s*(?:select(?=\s)|with\s+\w+\s+as|insert\s+into|update\s+\S+\s+set|delete\s+from|truncate|do\s+\$|grant|revoke)\b` +
        String.raw`|^\s*(?:create|alter|drop)\s+(?:or\s+replace\s+)?${object}\b|^\s*copy\s+\S+\s+(?:from|to)\b` +
        String.raw`|\bpg_catalog\b|\bsearch_path\s*(?:=|to\b)|\binformation_schema\b`,
    );
    // The second has the statements of a session that waits while a setup runs, which insert ids of the service alone.
    const places = [join("postgres", "catalog-queries.ts"), join("preview", "setup-session.ts")];
    const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter(
      (file) => file.endsWith(".ts") && !file.endsWith(".test.ts") && !places.includes(file),
    );
    const literals = files.flatMap((file) => {
      const texts: string[] = [];
      const visit = (node: ts.Node): void => {
        if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node)) texts.push(`${file}: ${node.text}`);
        ts.forEachChild(node, visit);
      };
      visit(
        ts.createSourceFile(file, readFileSync(join(source, file), "utf8"), ts.ScriptTarget.Latest, true),
      );
      const inLowerCase = (text: string): string =>
        /^\s*[A-Z]{2,}\s/.test(text) ? text.toLowerCase() : text;
      return texts.filter((text) => statement.test(inLowerCase(text.slice(file.length + 2))));
    });
    expect(literals).toEqual([]);
  });
});
