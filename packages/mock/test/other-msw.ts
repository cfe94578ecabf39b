import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import type * as MswNode from "msw/node";

/** Another copy of MSW, such as a dependency may have: the CommonJS build, which shares no state with the ES modules. */
export const otherMsw = createRequire(import.meta.url)(
  fileURLToPath(new URL("index.js", import.meta.resolve("msw/node"))),
) as typeof MswNode;
