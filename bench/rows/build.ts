import { benchFolder, mgmtProgram, programFolder } from "../runner/paths.js";

/** Built packages, with the programs that measure them. All paths are absolute. */
export interface Build {
  /** A folder where Node.js finds the packages. */
  readonly folder: string;
  /** The compiled files of `programs/`. */
  readonly programs: string;
  /** A folder with the files of `contenders/`. */
  readonly contenders: string;
  /** The script of the `mgmt` command. */
  readonly mgmt: string;
}

/** The build of the working tree. */
export const workingTree: Build = {
  folder: benchFolder,
  programs: programFolder,
  contenders: `${benchFolder}/contenders`,
  mgmt: mgmtProgram,
};
