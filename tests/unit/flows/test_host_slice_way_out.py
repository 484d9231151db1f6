"""What empties slices of systemd: its units by name, what was made by hand by its place, and then the command that goes on."""

from __future__ import annotations

from pathlib import Path

from plimsoll.flows.host_slice_apply import _units_stopped
from plimsoll.placement.slices.applying.journal import Journal


def _made(top: Path, **members: str) -> None:
    for name, processes in members.items():
        folder = top / name.replace("__", "/").replace("_d_", ".")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "cgroup.procs").write_text(processes)


def _told(tmp_path: Path, *groups: Path) -> tuple[str, str]:
    journal = Journal(tmp_path / "journal")
    return _units_stopped(journal, groups), journal.command("revert")


def test_units_are_stopped_and_what_is_below_them_goes_with_them(tmp_path: Path) -> None:
    shop = tmp_path / "plimsoll_shop.slice"
    _made(shop, shop_d_service="", shop_d_service__inner="12\n", session_d_scope="13\n")
    said, revert = _told(tmp_path, shop)
    assert said == f"Run `systemctl stop session.scope shop.service; {revert}; systemctl start shop.service`."


def test_a_group_that_was_made_by_hand_is_emptied_and_removed(tmp_path: Path) -> None:
    """Also an empty one: as long as it is there, nothing is taken back."""
    shop = tmp_path / "plimsoll_shop.slice"
    _made(shop, hand="14\n", hand__deep="", hand__own_d_service="15\n")
    said, revert = _told(tmp_path, shop)
    assert said == (
        f"End, or put into another group, whoever is in {shop}/hand. Remove {shop}/hand/deep: rmdir {shop}/hand/deep."
        f" Remove {shop}/hand: rmdir {shop}/hand. Run `systemctl stop own.service; {revert}; systemctl start own.service`."
    )
