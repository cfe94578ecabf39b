import { format } from "../format.js";
import type { Contract } from "../contract/contract.js";
import { generateSecretFields } from "./secret-fields.js";

/** Generates the files of the package that the others contain. */
export const generateInternal = async (contract: Contract): Promise<Map<string, string>> => {
  const text = await format("typescript", generateSecretFields(contract));
  return new Map([["packages/internal/src/generated/secret-fields.ts", text]]);
};
