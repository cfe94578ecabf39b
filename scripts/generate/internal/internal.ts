import { format } from "../format.js";
import type { Contract } from "../contract/contract.js";
import { generateFieldNames, generateSecretFields } from "./secret-fields.js";

/** Generates the files of the package that the others contain. */
export const generateInternal = async (contract: Contract): Promise<Map<string, string>> => {
  const folder = "packages/internal/src/generated";
  return new Map([
    [`${folder}/secret-fields.ts`, await format("typescript", generateSecretFields(contract))],
    [`${folder}/field-names.ts`, await format("typescript", generateFieldNames(contract))],
  ]);
};
