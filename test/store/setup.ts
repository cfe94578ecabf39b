import { afterAll, beforeEach } from "vitest";
import { useEngines } from "../../packages/engine/test/server/engine-under-test.js";
import { closeLater, openStoredPair } from "./stored-pair.js";

useEngines(openStoredPair);
beforeEach(() => closeLater());
afterAll(closeLater());
