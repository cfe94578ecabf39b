import type { Bench } from "../runner/bench.js";
import { cli } from "./cli.js";
import { databases } from "./databases.js";
import { engine } from "./engine.js";
import { http } from "./http.js";
import { msw } from "./msw.js";
import { platform } from "./platform.js";
import { sdk } from "./sdk.js";
import { waits } from "./waits.js";

export const benches: readonly Bench[] = [http, msw, engine, waits, databases, platform, cli, sdk];
