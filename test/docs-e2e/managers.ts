/** A package manager, and how it says what the pages say for npm. */
export interface Manager {
  name: string;
  /** The package that has it. Nothing, if it is the one of this machine. */
  package?: string;
  /** The files of its commands in that package. */
  commands: Readonly<Record<string, string>>;
  /** What replaces each use of `npm`, `npx`, and `node` on a page. `npm` itself replaces nothing. */
  words?: {
    install: string;
    add: string;
    addDev: string;
    /** Nothing, if it does not install globally. */
    addGlobal?: string;
    run: string;
    exec: string;
    node: string;
  };
  /** Files of a new project. */
  files?: Readonly<Record<string, string>>;
  environment?: Readonly<Record<string, string>>;
}

const npmCommands = { npm: "bin/npm-cli.js", npx: "bin/npx-cli.js" };

/** The package managers by their names in options and in the table. */
export const managers = {
  npm: { name: "npm", commands: {} },
  "npm-10": { name: "npm-10", package: "npm@10", commands: npmCommands },
  "npm-11": { name: "npm-11", package: "npm@11", commands: npmCommands },
  pnpm: {
    name: "pnpm",
    package: "pnpm@latest",
    commands: { pnpm: "bin/pnpm.mjs" },
    words: {
      install: "pnpm install",
      add: "pnpm add",
      addDev: "pnpm add --save-dev",
      addGlobal: "pnpm add --global",
      run: "pnpm run",
      exec: "pnpm exec",
      node: "command node",
    },
  },
  "yarn-classic": {
    name: "yarn-classic",
    package: "yarn@1",
    commands: { yarn: "bin/yarn.js" },
    words: {
      install: "yarn install",
      add: "yarn add",
      addDev: "yarn add --dev",
      addGlobal: "yarn global add",
      run: "yarn run",
      // Without this `--`, a later one in the command makes Yarn drop the options before it.
      exec: "yarn run --silent --",
      node: "command node",
    },
  },
  "yarn-pnp": {
    name: "yarn-pnp",
    package: "@yarnpkg/cli-dist@latest",
    commands: { yarn: "bin/yarn.js" },
    words: {
      install: "yarn install",
      add: "yarn add",
      addDev: "yarn add --dev",
      run: "yarn run",
      exec: "yarn run",
      node: "yarn node",
    },
    files: {
      // Without the type, tsx takes .mts files for CommonJS there.
      "package.json": '{ "name": "stranger", "private": true, "type": "module" }\n',
      "yarn.lock": "",
    },
  },
  bun: {
    name: "bun",
    package: "@oven/bun-linux-x64@latest",
    commands: { bun: "bin/bun", bunx: "bin/bun" },
    words: {
      install: "bun install",
      add: "bun add",
      addDev: "bun add --dev",
      addGlobal: "bun add --global",
      run: "bun run",
      exec: "bun run",
      node: "command node",
    },
  },
} as const satisfies Record<string, Manager>;

export type ManagerName = keyof typeof managers;

/** Returns Bash functions for `npm`, `npx`, and `node`, which run what a reader types who uses this manager instead. */
export const translationFor = ({ name, words }: Manager): string => {
  if (!words) return "";
  const { install, add, addDev, addGlobal, run, exec, node } = words;
  const globals = name === "pnpm" ? '"$(IFS=,; echo "$*")"' : '"$@"';
  return `
npm() {
  case "$1 \${2-}" in
    "install ") ${install} ;;
    "install --save-dev" | "install -D") shift 2; ${addDev} "$@" ;;
    "install --global") shift 2; ${addGlobal ?? "false"} ${globals} ;;
    install\\ *) shift; ${add} "$@" ;;
    run\\ *) shift; [ "$1" = --silent ] && shift; ${run} "$@" ;;
    start\\ * | test\\ *) ${run} "$@" ;;
    *) echo "There is no translation of npm $*" >&2; return 1 ;;
  esac
}
npx() {
  local program=$1
  shift
  # npx accepts the name of the package, too.
  [ "$program" != @mgmt/cli ] || program=mgmt
  ${exec} "$program" "$@"
}
node() { ${node} "$@"; }`;
};
