import type { ShortReference } from "../../generated/schemas.js";

/** Display names of the regions. See the `Region` schema. */
export const regionNames: ReadonlyMap<string, string> = new Map([
  ["us-east-1", "US East (N. Virginia)"],
  ["us-west-1", "US West (N. California)"],
  ["eu-west-3", "Europe (Paris)"],
  ["eu-central-1", "Europe (Frankfurt)"],
  ["ap-northeast-1", "Asia Pacific (Tokyo)"],
  ["ap-southeast-1", "Asia Pacific (Singapore)"],
]);

/** Builds the reference to the region of a database or an app. */
export const serializeRegionReference = (id: string): ShortReference => ({
  id,
  name: regionNames.get(id) ?? id,
});
