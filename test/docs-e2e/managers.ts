/** A package manager, and how it says what the pages say for npm. */
export interface Manager {
  /** The package that has it. Nothing, if it is the one of this machine. */
  package?: string;
  /** The files of its commands in that package. */
  commands: Readonly<Record<string, string>>;
  /** The words of its command, for all but npm. */
  words?: {
    program: string;
    addDev: string;
    /** Nothing, if it does not install globally. */
    addGlobal?: string;
    exec: string;
    node?: string;
  };
  /** Files of a new project. */
  files?: Readonly<Record<string, string>>;
}

const npmCommands = { npm: "bin/npm-cli.js", npx: "bin/npx-cli.js" };

/** The package managers by their names in options. */
const byName = {
  npm: { commands: {} },
  "npm-10": { package: "npm@10", commands: npmCommands },
  "npm-11": { package: "npm@11", commands: npmCommands },
  pnpm: {
    package: "pnpm@latest",
    commands: { pnpm: "bin/pnpm.mjs" },
    words: {
      ...{ program: "pnpm", addDev: "add --save-dev", exec: "exec" },
      // Packages that a comma joins are not kept apart.
      addGlobal: 'add --global "$(IFS=,; echo "$*")"',
    },
  },
  "yarn-classic": {
    package: "yarn@1",
    commands: { yarn: "bin/yarn.js" },
    // Without this `--`, a later one in the command makes Yarn drop the options before it.
    words: { program: "yarn", addDev: "add --dev", addGlobal: 'global add "$@"', exec: "run --silent --" },
  },
  "yarn-pnp": {
    package: "@yarnpkg/cli-dist@latest",
    commands: { yarn: "bin/yarn.js" },
    words: { program: "yarn", addDev: "add --dev", exec: "run", node: "yarn node" },
    files: {
      // Without the type, tsx takes .mts files for CommonJS there.
      "package.json": '{ "name": "stranger", "private": true, "type": "module" }\n',
      "yarn.lock": "",
    },
  },
  bun: {
    package: "@oven/bun-linux-x64@latest",
    commands: { bun: "bin/bun", bunx: "bin/bun" },
    words: { program: "bun", addDev: "add --dev", addGlobal: 'add --global "$@"', exec: "run" },
  },
} as const satisfies Record<string, Manager>;

export type ManagerName = keyof typeof byName;
export const managers: Readonly<Record<ManagerName, Manager>> = byName;
// The names of a constant object are its keys.
export const managerNames = Object.keys(byName) as ManagerName[];

/** Returns Bash functions for `npm`, `npx`, and `node`, which run what a reader types who uses this manager instead. */
export const translationFor = ({ words }: Manager): string => {
  if (!words) return "";
  const { program, addDev, addGlobal, exec, node = "command node" } = words;
  return `
npm() {
  case "$1 \${2-}" in
    "install ") ${program} install ;;
    "install --save-dev" | "install -D") shift 2; ${program} ${addDev} "$@" ;;
    "install --global") shift 2; ${addGlobal === undefined ? "false" : `${program} ${addGlobal}`} ;;
    install\\ *) shift; ${program} add "$@" ;;
    run\\ *) shift; [ "$1" = --silent ] && shift; ${program} run "$@" ;;
    start\\ * | test\\ *) ${program} run "$@" ;;
    *) echo "There is no translation of npm $*" >&2; return 1 ;;
  esac
}
npx() {
  local name=$1
  shift
  # npx accepts the name of the package, too.
  [ "$name" != @mgmt/cli ] || name=mgmt
  ${program} ${exec} "$name" "$@"
}
node() { ${node} "$@"; }`;
};
