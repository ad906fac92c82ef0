"""A feature file becomes the plan: its phases, components, what waits for what, and the interfaces that it brings."""

import pytest

from agents.catalog.forms.feature_files import BadFeature, read_feature
from agents.domain.phases.phase import InterfaceForm, StartAfter
from agents.domain.planning.decomposition import Decomposition, with_closing
from agents.domain.planning.work_kind import SubtaskSize, WorkKind

SIGN_IN = """
feature:
  id: P1T5
  title: "User Authentication System"

  phases:
    - id: backend
      sequence: 1
      components:
        - id: user_model
          files: ["models/user.py", "migrations/001_users.py"]
          depends_on: []

        - id: auth_service
          files: ["services/auth.py"]
          depends_on: [user_model]

        - id: auth_endpoints
          files: ["api/auth.py"]
          depends_on: [user_model, auth_service]

    - id: frontend
      sequence: 2  # Can start after backend interfaces defined
      components:
        - id: login_form
          files: ["components/Login.tsx"]
          depends_on: [backend.auth_endpoints]  # Cross-phase dependency
"""
UNTIDY = """
feature:
  id: Links
  title: Links expire
  why: Old links stay open for ever.
  phases:
    - id: web
      sequence: 2
      title: What people see
      start_after: interfaces_locked
      components:
        - {id: store, title: Show the day, files: web/page.ts, depends_on: storage.store, size: small}
    - id: storage
      sequence: 1
      components:
        - id: store
          why: The day must be kept
          test: a link of yesterday is not found
          kind: fix
          files:
          depends_on:
      interfaces:
        - name: LoginRequest
          type: typescript_interface
          definition: |
            interface LoginRequest {
              email: string;
            }
        - {name: links, type: SQL, definition: "CREATE TABLE links (code TEXT);"}
"""


def numbered(plan: Decomposition) -> dict[int, tuple[str, int, tuple[int, ...]]]:
    return {each.number: (each.title, each.phase, each.blocked_by) for each in plan.subtasks}


def test_a_file_as_teams_write_it_is_a_plan() -> None:
    plan = read_feature("auth.yaml", SIGN_IN).plan
    assert numbered(plan) == {
        1: ("User model", 1, ()),
        2: ("Auth service", 1, (1,)),
        3: ("Auth endpoints", 1, (1, 2)),
        4: ("Login form", 2, (3,)),
    }
    assert (plan.feature, plan.goal) == ("P1T5", "User Authentication System")
    assert with_closing(plan).order() == [[1], [2], [3], [4], [5]]
    assert plan.subtasks[0].files == ("models/user.py", "migrations/001_users.py")
    assert plan.subtasks[0].assumed == ("kind", "why", "test"), "people see what code filled in"


def test_an_untidy_one_is_read_with_its_phases_in_order_and_its_interfaces() -> None:
    plan = read_feature("links.yaml", UNTIDY).plan
    assert numbered(plan) == {1: ("Store", 1, ()), 2: ("Show the day", 2, (1,))}
    storage, web = plan.phases
    assert (storage.title, web.title) == ("Storage", "What people see")
    assert web.start_after is StartAfter.INTERFACES and storage.start_after is StartAfter.PHASES
    assert [(draft.name, draft.form) for draft in storage.drafts] == [
        ("LoginRequest", InterfaceForm.TYPESCRIPT),
        ("links", InterfaceForm.SQL),
    ]
    assert "interface LoginRequest {" in storage.agreements[0]
    assert (plan.subtasks[0].kind, plan.subtasks[1].size) == (WorkKind.FIX, SubtaskSize.SMALL)
    assert plan.subtasks[0].assumed == ()


def test_nothing_of_a_broken_one_is_used_and_all_its_faults_are_told() -> None:
    broken = SIGN_IN.replace("[user_model]", "[user_modle]").replace("id: P1T5", "id: P1/T5")
    with pytest.raises(BadFeature) as refused:
        read_feature("auth.yaml", broken)
    told = str(refused.value)
    assert "auth.yaml line 3, feature.id" in told and "auth.yaml line 16, " in told and "`user_model`?" in told
