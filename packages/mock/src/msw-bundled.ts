import { http } from "msw";
import { setupServer } from "msw/node";
import type { Msw } from "./msw.js";

/** Returns the parts of MSW that intercept requests. Replaces `msw.ts` in the CommonJS build, which contains MSW. */
export const requireMsw = (): Msw => ({ http, setupServer });
