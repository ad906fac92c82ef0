"""Broken feature files, for `broken_roles.py`."""

ONE = "feature:\n  id: A\n  title: x\n  phases:\n    - id: one\n"
FEATURES = {
    "features/empty.yaml": "",
    "features/nothing.yaml": "feature: {}\nphases: []\n",
    "features/no_list.yaml": "feature: {id: A, title: ' ', phases: [7]}\n",
    "features/names.yaml": """
feature:
  id: P1 T5
  titel: x
  phases:
    - id: a b
      components: [{id: 5}, {files: [a.py]}, null]
""",
    "features/places.yaml": f"""{ONE}
      components:
        - {{id: a, files: [/etc/passwd, ../b.py, "src/*.py"]}}
        - {{id: b, kind: docs, files: [b.py]}}
""",
    "features/words.yaml": f"""{ONE}
      sequence: first
      start_after: interface_lock
      components:
        - {{id: a, size: huge, kind: bugfix, changes_tests: perhaps, hours: 4, files: {{a: b}}}}
""",
    "features/waits.yaml": f"""{ONE}
      components:
        - {{id: user_model, depends_on: user_modell}}
        - {{id: b, depends_on: [two.c, two.x, user_model.b]}}
    - id: two
      components: [{{id: c, depends_on: one.user_modle}}]
""",
    "features/circle.yaml": f"""{ONE}
      components:
        - {{id: a, depends_on: [b]}}
        - {{id: b, depends_on: [c]}}
        - {{id: c, depends_on: [a]}}
""",
    "features/twice.yaml": f"""{ONE}
      sequence: 2
      components: [{{id: a}}, {{id: a}}]
    - id: one
      sequence: 2
      components: [{{id: b}}]
""",
    "features/interfaces.yaml": f"""{ONE}
      components: [{{id: a}}]
      interfaces:
        - {{name: L, type: protobuf, definition: x}}
        - {{type: sql, definition: " "}}
        - {{name: L}}
""",
    "features/same_file.yaml": f"""{ONE}
      components: [{{id: a, files: [a.py]}}]
    - id: two
      start_after: interfaces_locked
      components: [{{id: b, files: a.py}}]
""",
    "features/many.yaml": f"{ONE}      components: [{', '.join(f'{{id: c{number}}}' for number in range(9))}]\n",
}
