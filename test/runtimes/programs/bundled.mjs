// For environments that run bundles: a browser and workerd.
import * as sdk from "@mgmt/sdk";
import * as auth from "@mgmt/sdk/auth";
import { logIn, useClient } from "./smoke.mjs";

/** @param {Parameters<typeof logIn>[2] & { token: string }} server */
export const run = async (server) => {
  await useClient(sdk, server);
  await logIn(sdk, auth, server);
  return "all is so";
};
