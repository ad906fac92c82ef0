"""Slack as a stage, reached by signed HTTP instead of a socket."""

from tests.scenarios.slack_stage import open_http_stage as open_stage

__all__ = ["open_stage"]
