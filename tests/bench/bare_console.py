"""The least that serves /healthz beside a database: Starlette, uvicorn, SQLAlchemy with one table.

Run by ready.py, with a database's path and a port.
"""

import sys

import uvicorn
from sqlalchemy import Column, Integer, MetaData, String, Table, create_engine, select
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route


def main(database: str, port: int) -> None:
    engine = create_engine(f"sqlite:///{database}")
    metadata = MetaData()
    facts = Table("facts", metadata, Column("id", Integer, primary_key=True), Column("body", String))
    metadata.create_all(engine)

    async def healthz(request: Request) -> JSONResponse:
        with engine.connect() as db:
            db.execute(select(facts.c.id).limit(1)).first()
        return JSONResponse({"ok": True})

    uvicorn.run(Starlette(routes=[Route("/healthz", healthz)]), host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
