import type { Options } from "tsup";

/** A plugin of tsup, which does not export its type. */
export type TsupPlugin = NonNullable<Options["plugins"]>[number];
