"""${message[:1].upper() + message[1:]}."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from plimsoll.store.schema import TYPES

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}


def upgrade() -> None:
    """Adds what the facts gained."""
    ${upgrades if upgrades else "pass"}
