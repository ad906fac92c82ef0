"""What all tables are registered with."""

from sqlalchemy import BigInteger, Integer, MetaData

metadata = MetaData()
NUMBER = BigInteger().with_variant(Integer, "sqlite")
