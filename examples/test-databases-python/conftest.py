"""A Postgres database for each test: a copy of the one in DATABASE_URL, which `mgmt run --fresh` has filled."""

import os
from uuid import uuid4

import psycopg
import pytest
from psycopg import conninfo, sql


@pytest.fixture(scope="session")
def template():
    return os.environ["DATABASE_URL"]


@pytest.fixture(scope="session")
def server(template):
    """A connection to another database: Postgres copies only a database that has no connections."""
    with psycopg.connect(template, dbname="postgres", autocommit=True) as connection:
        yield connection


@pytest.fixture
def database(server, template):
    """The connection string of a database that no other test has."""
    name = f"copy_{uuid4().hex}"
    source = conninfo.conninfo_to_dict(template)["dbname"]
    server.execute(
        sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(source))
    )
    yield conninfo.make_conninfo(template, dbname=name)
    server.execute(sql.SQL("drop database {} with (force)").format(sql.Identifier(name)))


@pytest.fixture
def connection(database):
    with psycopg.connect(database, autocommit=True) as connection:
        yield connection
