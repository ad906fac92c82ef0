"""What goes wrong between us and GitHub: refusals for a while, and answers that never arrive."""

import re
from collections import deque
from dataclasses import dataclass, field
from enum import StrEnum

from aiohttp import web


class Fault(StrEnum):
    RESET_BEFORE = "reset_before"  # the connection drops, and nothing was done
    RESET_AFTER = "reset_after"  # it was done, and the answer is lost
    ERROR_BEFORE = "error_before"  # 500
    ERROR_AFTER = "error_after"  # 500, though it was done
    GARBAGE_AFTER = "garbage_after"  # it was done, and the answer is no JSON
    LIMIT_SECONDARY = "limit_secondary"  # 403 with Retry-After
    LIMIT_PRIMARY = "limit_primary"  # 403, nothing remaining until a time
    LIMIT_429 = "limit_429"


AFTER = frozenset({Fault.RESET_AFTER, Fault.ERROR_AFTER, Fault.GARBAGE_AFTER})


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    fault: Fault
    which: re.Pattern[str]  # "POST /repos/o/r/pulls"
    seconds: int = 1


@dataclass
class Faults:
    plans: deque[Plan] = field(default_factory=deque)
    met: int = 0

    def plan(self, fault: Fault, which: str = ".*", *, times: int = 1, seconds: int = 1) -> None:
        self.plans.extend(Plan(fault=fault, which=re.compile(which), seconds=seconds) for _ in range(times))

    def next(self, request: web.Request) -> Plan | None:
        called = f"{request.method} {request.path}"
        for plan in self.plans:
            if plan.which.search(called):
                self.plans.remove(plan)
                self.met += 1
                return plan
        return None


def faulty(request: web.Request, plan: Plan, now: float) -> web.StreamResponse:
    match plan.fault:
        case Fault.RESET_BEFORE | Fault.RESET_AFTER:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        case Fault.ERROR_BEFORE | Fault.ERROR_AFTER:
            return web.json_response({"message": "Server Error"}, status=502)
        case Fault.GARBAGE_AFTER:
            return web.Response(text="<html>Unicorn!</html>", content_type="text/html")
        case Fault.LIMIT_PRIMARY:
            headers = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(now) + plan.seconds)}
            return web.json_response({"message": "API rate limit exceeded"}, status=403, headers=headers)
        case Fault.LIMIT_SECONDARY | Fault.LIMIT_429:
            told = {"message": "You have exceeded a secondary rate limit."}
            status = 429 if plan.fault is Fault.LIMIT_429 else 403
            return web.json_response(told, status=status, headers={"Retry-After": str(plan.seconds)})
