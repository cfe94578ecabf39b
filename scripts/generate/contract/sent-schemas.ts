import type { Contract, JsonSchema } from "./contract.js";

/** Returns the names of the schemas of the bodies of requests, and of those within them. */
export const sentSchemas = ({ operations, schemas }: Contract): ReadonlySet<string> => {
  const found = new Set<string>();
  const visit = (schema: JsonSchema): void => {
    for (const [, name = ""] of JSON.stringify(schema).matchAll(
      /"\$ref":"#\/components\/schemas\/([^"]+)"/g,
    )) {
      const target = schemas[name];
      if (found.has(name) || target === undefined) continue;
      found.add(name);
      visit(target);
    }
  };
  for (const { body } of operations) if (body) visit(body.schema);
  return found;
};
