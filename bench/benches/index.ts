import type { Measurement } from "../runner/measurement.js";
import { cli } from "./cli.js";
import { databases } from "./databases.js";
import { engine, http, msw, waits } from "./http.js";
import { pageSize } from "./page-size.js";
import { platform } from "./platform.js";
import { proxy } from "./proxy.js";
import { sdk } from "./sdk.js";
import { serve } from "./serve.js";
import { testDatabases } from "./test-databases.js";

export const benches: Readonly<Record<string, readonly Measurement[]>> = {
  http,
  msw,
  engine,
  waits,
  databases,
  platform,
  proxy,
  serve,
  cli,
  sdk,
  size: pageSize,
  "test-databases": testDatabases,
};
