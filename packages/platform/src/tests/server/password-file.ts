/** Name of the file with which `psql` opens databases of failed tests, in the format of `PGPASSFILE`. */
export const passwordFileName = "pgpass";
