import { rmSync } from "node:fs";

// Several builds write to this folder at once, so none of them can clean it.
rmSync(new URL("../packages/sdk/dist", import.meta.url), { recursive: true, force: true });
