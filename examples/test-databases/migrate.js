import { Client } from "pg";

const client = new Client({ connectionString: process.env.DATABASE_URL });
await client.connect();
await client.query(`
  create table author (id serial primary key, name text not null unique);
  create table note (id serial primary key, author_id int not null references author, text text not null);
  insert into author (name) values ('Ada'), ('Grace');
`);
await client.end();
