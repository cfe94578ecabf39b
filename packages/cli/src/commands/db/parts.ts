import { Option } from "commander";
import type { MgmtCommand } from "../../run/program/command.js";

/** Which part of a database is dumped. Default: all of it. */
export interface DumpedPart {
  readonly schemaOnly?: boolean;
  readonly dataOnly?: boolean;
}

/** Adds the flags that say which part of a database is dumped. */
export const addPartOptions = (command: MgmtCommand): void => {
  command
    .addOption(
      new Option("--schema-only", "only tables, views, functions and so on, without rows").conflicts(
        "dataOnly",
      ),
    )
    .option("--data-only", "only rows, into tables that exist");
};

/** Returns the arguments of pg_dump for them. */
export const partFlags = ({ schemaOnly, dataOnly }: DumpedPart): string[] => [
  ...(schemaOnly ? ["--schema-only"] : []),
  ...(dataOnly ? ["--data-only"] : []),
];
