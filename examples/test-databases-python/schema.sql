create table author (id serial primary key, name text not null unique);
create table note (id serial primary key, author_id int not null references author, text text not null);
insert into author (name) values ('Ada'), ('Grace');
