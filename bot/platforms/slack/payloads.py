"""What Slack sends and answers, typed once where it comes in. Keys we have no use for are not read."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

# Slack leaves out what is empty, or sends null for it
Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
# A moment and a message's name in one: "1700000000.000100"; what is none cannot be dated, and is not read
Ts = Annotated[Text, Field(pattern=r"^([0-9]{1,10}(\.[0-9]{1,9})?)?$")]


class Payload(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


# ── messages ────────────────────────────────────────────────────────────────────────────────────────────────────


class Mark(Payload):
    """Our own key on our own message."""

    id: str
    thread: str


class Metadata(Payload):
    event_type: Text = ""
    event_payload: dict[str, Any] = {}  # other apps put in it whatever they like

    @property
    def mark(self) -> Mark:
        return Mark(id=str(self.event_payload.get("id", "")), thread=str(self.event_payload.get("thread", "")))


class Edit(Payload):
    ts: Ts = ""


class Upload(Payload):
    name: Text = ""


class Message(Payload):
    """A message in an event or in an answer; events add where it is."""

    type: Text = "message"
    subtype: Text = ""
    user: Text = ""
    bot_id: Text = ""
    text: Text = ""
    ts: Ts = ""
    thread_ts: Ts = ""
    parent_user_id: Text = ""
    team: Text = ""
    user_team: Text = ""
    source_team: Text = ""
    channel: Text = ""
    channel_type: Text = ""
    edited: Edit | None = None
    metadata: Metadata | None = None
    reply_count: int = 0
    latest_reply: Ts = ""
    files: list["Upload"] = []
    message: "Message | None" = None  # of a change
    previous_message: "Message | None" = None


class Posted(Payload):
    ts: str = Field(min_length=1)
    message: Message


class _Cursor(Payload):
    next_cursor: Text = ""


class Page(Payload):
    messages: list[Message] = []
    response_metadata: _Cursor | None = None

    @property
    def next_cursor(self) -> str:
        return self.response_metadata.next_cursor if self.response_metadata else ""


# ── other events ────────────────────────────────────────────────────────────────────────────────────────────────


class Item(Payload):
    type: Text = ""
    channel: Text = ""
    ts: Ts = ""


class Reaction(Payload):
    user: str
    reaction: str
    item: Item
    item_user: Text = ""
    event_ts: Ts = ""


class HomeOpened(Payload):
    user: str
    tab: Text = "home"


class Echo(Payload):
    """One of our own posts was seen."""

    bot_id: Text = ""
    message_ts: Ts = ""
    metadata: Metadata


class Authorization(Payload):
    team_id: Text = ""


class EventBody(Payload):
    event_id: str
    event: dict[str, Any]
    authorizations: list[Authorization] | None = None

    @property
    def kind(self) -> str:
        return str(self.event.get("type", ""))


# ── interactions ────────────────────────────────────────────────────────────────────────────────────────────────


class Person(Payload):
    id: str
    name: Text = ""
    username: Text = ""
    team_id: Text = ""


class Option(Payload):
    value: Text = ""


class Label(Payload):
    text: Text = ""


class Action(Payload):
    action_id: Text = ""
    action_ts: Text = ""
    value: Text = ""
    text: Label | None = None
    selected_option: Option | None = None

    @property
    def button_value(self) -> str:
        return self.selected_option.value if self.selected_option else self.value


class Container(Payload):
    type: Text = ""
    message_ts: Ts = ""
    channel_id: Text = ""
    thread_ts: Ts = ""


class Pressing(Payload):
    """block_actions."""

    user: Person
    trigger_id: Text = ""
    container: Container
    message: Message | None = None
    actions: list[Action]


class _State(Payload):
    values: dict[str, dict[str, Option]] = {}


class View(Payload):
    id: str
    hash: Text = ""
    callback_id: Text = ""
    private_metadata: Text = ""
    state: _State | None = None


class Submission(Payload):
    """view_submission."""

    user: Person
    view: View


class SlashCommand(Payload):
    command: str
    text: Text = ""
    user_id: str
    team_id: Text = ""
    channel_id: str
    trigger_id: str


# ── answers ─────────────────────────────────────────────────────────────────────────────────────────────────────


class Me(Payload):
    """Who the token says we are (auth.test)."""

    team_id: str
    user_id: str
    bot_id: str


class _Profile(Payload):
    display_name: Text = ""
    real_name: Text = ""


class UserInfo(Payload):
    team_id: Text = ""
    name: Text = ""
    is_bot: bool = False
    deleted: bool = False
    profile: _Profile = _Profile()

    @property
    def display_name(self) -> str:
        return self.profile.display_name or self.profile.real_name or self.name


class UserAnswer(Payload):
    user: UserInfo


class Members(Payload):
    users: list[str] = []


class _Conversation(Payload):
    id: str


class Conversations(Payload):
    channels: list[_Conversation] = []
    response_metadata: _Cursor | None = None
