import { existsSync } from "node:fs";

/** Returns whether processes are visible as files in `/proc`. A sandbox or a container may hide them. */
export const hasProcessFiles = (): boolean => existsSync("/proc/self/cwd");
