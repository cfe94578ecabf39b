// Compiles projects with a version of TypeScript: `node compile.cjs <its package> <tsconfig.json>…`. Prints its version and the errors
// of each project as JSON. One process for all projects parses the declarations that they share only once.
const ts = require(process.argv[2]);

// Version 6 reports options that version 7 removes.
const accepted = ts.version.startsWith("6.") ? { ignoreDeprecations: "6.0" } : {};

const parsed = new Map();
const formatHost = {
  getCanonicalFileName: (name) => name,
  getCurrentDirectory: () => process.cwd(),
  getNewLine: () => "\n",
};

const errorsOf = (configFile) => {
  const unreadable = [];
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (found) => unreadable.push(found) };
  const config = ts.getParsedCommandLineOfConfigFile(configFile, accepted, host);
  const compilerHost = ts.createCompilerHost(config.options);
  const { getSourceFile } = compilerHost;
  compilerHost.getSourceFile = (name, options, ...rest) => {
    if (!/\.d\.[cm]?ts$/.test(name)) return getSourceFile(name, options, ...rest);
    const key = JSON.stringify([name, options.languageVersion, options.impliedNodeFormat]);
    if (!parsed.has(key)) parsed.set(key, getSourceFile(name, options, ...rest));
    return parsed.get(key);
  };
  const program = ts.createProgram({
    rootNames: config.fileNames,
    options: config.options,
    configFileParsingDiagnostics: config.errors,
    host: compilerHost,
  });
  return ts.formatDiagnostics([...unreadable, ...ts.getPreEmitDiagnostics(program)], formatHost);
};

process.stdout.write(JSON.stringify({ version: ts.version, errors: process.argv.slice(3).map(errorsOf) }));
