import { buildIfStale } from "../scripts/build-if-stale.mjs";

/** The command line, the docs and the packed packages are tested as they are built. */
export const setup = (): void => {
  buildIfStale();
};
