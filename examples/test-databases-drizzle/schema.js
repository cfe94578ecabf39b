import { integer, pgTable, serial, text } from "drizzle-orm/pg-core";

export const author = pgTable("author", {
  id: serial().primaryKey(),
  name: text().notNull().unique(),
});

export const note = pgTable("note", {
  id: serial().primaryKey(),
  authorId: integer("author_id")
    .notNull()
    .references(() => author.id),
  text: text().notNull(),
});
