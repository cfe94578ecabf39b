import { format } from "prettier";
import type { Contract } from "./contract.js";
import { generateEnsurables } from "./sdk-ensure.js";
import { generateErrorKinds, generateErrors } from "./sdk-errors.js";
import { generateOperations } from "./sdk-operations.js";
import { generateResources } from "./sdk-resources.js";
import { generateSchema } from "./sdk-schema.js";
import { generateSecretFields } from "./sdk-secrets.js";
import { generateTypes } from "./sdk-types.js";

/** Generates the files of `@mgmt/sdk`, by their path from the root of the repository. */
export const generateSdk = async (contract: Contract): Promise<Map<string, string>> => {
  const sources = new Map([
    ["types.ts", generateTypes(contract)],
    ["errors.ts", generateErrors(contract)],
    ["error-kinds.ts", generateErrorKinds(contract)],
    ["secret-fields.ts", generateSecretFields(contract)],
    ["operations.ts", generateOperations(contract)],
    ["ensurables.ts", generateEnsurables(contract)],
    ...generateResources(contract),
  ]);
  const files = new Map([["packages/sdk/src/generated/schema.ts", await generateSchema(contract)]]);
  for (const [name, source] of sources) {
    const pretty = await format(source, { parser: "typescript", printWidth: 110 });
    files.set(`packages/sdk/src/generated/${name}`, pretty);
  }
  return files;
};
