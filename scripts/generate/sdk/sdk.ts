import { format } from "../format.js";
import type { Contract } from "../contract/contract.js";
import { generateEnsurables } from "./ensure.js";
import { generateErrorCodes } from "./error-codes.js";
import { generateErrorKinds, generateErrors } from "./errors.js";
import { generateOperations } from "./operations.js";
import { generateQueryNames } from "./queries.js";
import { generateResources } from "./resources.js";
import { generateSchema } from "./schema.js";
import { generateTypes } from "./types.js";

/** Generates the files of `@mgmt/sdk`, by their path from the root of the repository. */
export const generateSdk = async (contract: Contract): Promise<Map<string, string>> => {
  const sources = new Map([
    ["generated/types.ts", generateTypes(contract)],
    ["generated/operations.ts", generateOperations(contract)],
    ["generated/query-names.ts", generateQueryNames(contract)],
    ["errors/generated/errors.ts", generateErrors(contract)],
    ["errors/generated/error-codes.ts", generateErrorCodes(contract)],
    ["errors/generated/error-kinds.ts", generateErrorKinds(contract)],
    ["ensure/generated/ensurables.ts", generateEnsurables(contract)],
    ...generateResources(contract),
  ]);
  const files = new Map([["packages/sdk/src/generated/schema.ts", await generateSchema(contract)]]);
  for (const [path, source] of sources) {
    const pretty = await format("typescript", source);
    files.set(`packages/sdk/src/${path}`, pretty);
  }
  return files;
};
