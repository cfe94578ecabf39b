import os
from pathlib import Path

import psycopg

with psycopg.connect(os.environ["DATABASE_URL"]) as connection:
    connection.execute(Path("schema.sql").read_text())
