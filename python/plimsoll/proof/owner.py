"""Whose a schema is that carries our mark. A mark is a comment, and whoever may make a schema may write one.

What belongs to another role is not worked with, whatever its comment says: its functions, triggers and rules would run with the
rights of whoever works in it, which may be a superuser's. Where a schema has no owner (MariaDB), or is a user (Oracle), the
question does not arise.

source: PostgreSQL manual, "Security of Functions, Triggers and Row-Level Security"
"""

from __future__ import annotations

from plimsoll.base.errors import WorldError
from plimsoll.databases import Session, reads_answers

_OWNER = """
select o.rolname from pg_namespace n join pg_roles o on o.oid = n.nspowner
where n.nspname = %s and o.rolname <> current_user and not o.rolsuper
"""
_INSIDE = """
select distinct o.rolname from pg_namespace n
join (
    select relnamespace as place, relowner as owner from pg_class
    union all select pronamespace, proowner from pg_proc
) as part on part.place = n.oid
join pg_roles o on o.oid = part.owner
where n.nspname = %s and o.rolname <> current_user and not o.rolsuper
limit 1
"""


@reads_answers
def check_owner(session: Session, dialect: str, schema: str) -> None:
    """That the schema and what is in it belong to this session's role, or to a superuser. Raises WorldError `proof-foreign`."""
    if dialect != "postgres":
        return
    for query in (_OWNER, _INSIDE):
        for (owner,) in session.run(query, [schema]):
            raise WorldError(
                "proof-foreign",
                f"cannot work with the schema {schema}: role {owner}, who is no superuser, could have put anything into it",
                f"Log in as {owner}, or drop that schema yourself and set it up anew.",
            )
