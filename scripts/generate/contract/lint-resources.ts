import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { join } from "node:path";
import { parse } from "yaml";
import { type Contract, root } from "./contract.js";
import { checkResources, resourcesOf } from "./resources.js";

/** Checks `x-resources` against its schema, then against the operations. Returns the problems, one line each. */
export const lintResources = (contract: Contract): string[] => {
  const ajv = new Ajv2020({ allErrors: true, strict: true });
  const validate = ajv.compile(parse(readFileSync(join(root, "openapi/resources.schema.yaml"), "utf8")));
  if (validate(resourcesOf(contract.document))) return checkResources(contract);
  return (validate.errors ?? []).map(({ instancePath, message = "is invalid", params }) => {
    const added: unknown = Reflect.get(params, "additionalProperty");
    const name = typeof added === "string" ? `: ${added}` : "";
    return `x-resources${instancePath.replaceAll("/", ".").replace(".", " ")}: ${message}${name}`;
  });
};
