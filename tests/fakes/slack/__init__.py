"""A strict Slack on loopback: Web API, Socket Mode and signed HTTP, with people to play and faults to inject."""

from tests.fakes.slack.fake import FakeSlack, fake_slack

__all__ = ["FakeSlack", "fake_slack"]
