import type { Bench } from "../runner/bench.js";
import { http } from "./http.js";
import { msw } from "./msw.js";

export const benches: readonly Bench[] = [http, msw];
