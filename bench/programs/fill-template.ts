import pg from "pg";

const tableCount = 60;

/** Fills a database with 60 tables: 20 MB with what an empty one has. */
export const fillTemplate = async (connectionString: string): Promise<void> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  for (let table = 1; table <= tableCount; table += 1) {
    await client.query(
      `create table item_${String(table)} (id int primary key, name text);
       insert into item_${String(table)} select n, repeat('x', 100) from generate_series(1, 1200) n`,
    );
  }
  await client.end();
};
