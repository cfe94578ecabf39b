import { quoteIdentifier, quoteLiteral } from "../connection/admin-connection.js";

/** Settings that are lists of names, and that `ALTER DATABASE` and `ALTER ROLE` can set. Each name is quoted separately. */
const listSettings = new Set([
  "local_preload_libraries",
  "search_path",
  "session_preload_libraries",
  "temp_tablespaces",
]);

/** One name of a list: in double quotes, or without quotes. */
const listNamePattern = /"((?:[^"]|"")*)"|([^\s,]+)/g;

/** Returns the names of a list as Postgres reads them. Names without quotes are in lower case, except names of files. */
const parseNameList = (setting: string, list: string): string[] =>
  [...list.matchAll(listNamePattern)].map(([, quotedName, plainName = ""]) => {
    if (quotedName !== undefined) return quotedName.replaceAll('""', '"');
    return setting.endsWith("_libraries") ? plainName : plainName.toLowerCase();
  });

/**
 * Returns the statements that store a setting for a database or for a role in a database, as `pg_dump` writes them.
 *
 * @param statementStart the start of the statement, such as `alter database example`.
 * @param setting an element of `pg_db_role_setting.setconfig`: a name, `=` and a value.
 */
export const buildSettingStatement = (statementStart: string, setting: string): string => {
  const end = setting.indexOf("=");
  const [name, value] = [setting.slice(0, end), setting.slice(end + 1)];
  const setClause = `${statementStart} set ${quoteIdentifier(name)}`;
  if (!listSettings.has(name)) return `${setClause} to ${quoteLiteral(value)}`;
  const names = parseNameList(name, value);
  return names.length > 0
    ? `${setClause} to ${names.map(quoteLiteral).join(", ")}`
    : // There is no other form for an empty list.
      `select pg_catalog.set_config(${quoteLiteral(name)}, '', true); ${setClause} from current`;
};
