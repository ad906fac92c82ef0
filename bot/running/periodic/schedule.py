"""The table of periodic work: what is done every so often, and how often. What a change wakes is a pump instead."""

from collections.abc import Mapping

from bot.config.settings import Settings
from bot.intake.inbox import Inbox
from bot.messages import Platform
from bot.running.periodic.branch_pruning import EndedBranches, Yard
from bot.running.periodic.issue_polling import IssueWatch, homes_of
from bot.running.periodic.repository_upkeep import Upkeep
from bot.running.periodic.row_pruning import Pruning
from bot.running.scheduler import Periodic
from bot.running.world import World


def periodic_work(
    settings: Settings, inbox: Inbox, world: World, platforms: Mapping[str, Platform]
) -> tuple[Periodic, ...]:
    office, shop, hub = world.office, world.workshop, world.hub
    clones = tuple(hub.places.values()) if hub else ()
    yards = {name: Yard(copy=copy, original=path) for name, copy, path in shop.yards(clones)}
    upkeep = Upkeep(office, (*shop.copies, *clones), shop.originals(clones))
    apart = office.limits.upkeep_apart
    table = (
        Periodic(name="prune-branches", every=apart, run=EndedBranches(office, yards).prune),
        Periodic(name="prune-rows", every=apart, run=Pruning(office).prune),
        Periodic(name="upkeep", every=apart, run=upkeep.keep_up),
    )
    if hub is None:
        return table
    watch = IssueWatch(office, inbox, hub.intake, homes_of(settings, hub.places, platforms))
    return (*table, Periodic(name="issues", every=office.limits.issues_apart, run=watch.look))
