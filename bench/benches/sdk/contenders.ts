import { join } from "node:path";
import { benchFolder } from "../../runner/paths.js";

/** One way to create a client and list something. */
export interface Contender {
  readonly name: string;
  /** A file that exports a `lister`. */
  readonly file: string;
}

const contender = (name: string, file: string): Contender => ({
  name,
  file: join(benchFolder, "contenders", `${file}.js`),
});

export const ours = contender("@mgmt/sdk", "mgmt");
export const oneResource = contender("@mgmt/sdk, one resource", "mgmt-one-resource");
export const partial = contender("@mgmt/sdk/partial, one resource", "mgmt-partial");
export const oursOnNode = contender("@mgmt/sdk/node", "mgmt-node");
export const fetchAlone = contender("fetch", "fetch");
/** The cost of a deadline alone, which every call of this SDK has. */
export const fetchWithDeadline = contender("fetch with a deadline", "fetch-deadline");
export const prisma = contender("@prisma/management-api-sdk", "prisma");
export const stripe = contender("stripe", "stripe");
export const stripeOnFetch = contender("stripe on fetch", "stripe-fetch");
export const openai = contender("openai", "openai");
export const octokit = contender("@octokit/rest", "octokit");
