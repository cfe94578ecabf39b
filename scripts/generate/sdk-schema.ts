import openapiTS, { type OpenAPI3, astToString } from "openapi-typescript";
import type { Contract } from "./contract.js";
import { header } from "./sdk-names.js";

/** `paths`, `operations` and `components`, for the typed path client and for whoever likes them. */
export const generateSchema = async ({ document }: Contract): Promise<string> => {
  // The library changes what it is given, and types documents by its own declarations.
  const copy = structuredClone(document) as unknown as OpenAPI3;
  // A field with a default may be left out of a request.
  const nodes = await openapiTS(copy, { defaultNonNullable: false, silent: true });
  return `${header}\n${astToString(nodes)}`;
};
