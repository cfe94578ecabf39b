import { format } from "../format.js";
import { buildControlDocument } from "../../../packages/engine/src/http/control/control-document.js";

/** Generates the file with the OpenAPI document of the control surface, which `@mgmt/mock` contains. */
export const generateControlDocument = async (): Promise<Map<string, string>> => {
  const text = await format("json", JSON.stringify(buildControlDocument()));
  return new Map([["packages/mock/control-openapi.json", text]]);
};
