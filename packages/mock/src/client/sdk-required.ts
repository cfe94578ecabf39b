import { createRequire } from "node:module";
import * as mockErrors from "../errors/mock-errors.js";
import type { Sdk } from "./load-sdk.js";

/** Returns the part of the SDK that creates clients. Replaces `sdk.ts` in the CommonJS build. */
export const requireSdk = (): Sdk => {
  try {
    return createRequire(__filename)("@mgmt/sdk");
  } catch (error) {
    throw mockErrors.sdkMissing(error);
  }
};
