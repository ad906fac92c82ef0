"""What Slack sends and answers, typed once where it comes in. Keys we have no use for are not read."""

from typing import Annotated, Any

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field

# Slack leaves out what is empty, or sends null for it
Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]
# A moment and a message's name in one: "1700000000.000100"; what is none cannot be dated, and is not read
Ts = Annotated[Text, Field(pattern=r"^([0-9]{1,10}(\.[0-9]{1,9})?)?$")]
Cursor = Annotated[Text, Field(validation_alias=AliasPath("response_metadata", "next_cursor"))]


class Payload(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


# ── messages ────────────────────────────────────────────────────────────────────────────────────────────────────


class Mark(Payload):
    """Our own key on our own message."""

    id: str
    thread: str


class Metadata(Payload):
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
    files: list[Upload] = []
    message: "Message | None" = None  # of a change
    previous_message: "Message | None" = None


class Posted(Payload):
    ts: str = Field(min_length=1)
    channel: Text = ""
    message: Message


class Page(Payload):
    messages: list[Message] = []
    next_cursor: Cursor = ""


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


# ── interactions ────────────────────────────────────────────────────────────────────────────────────────────────


class Person(Payload):
    id: str
    name: Text = ""
    username: Text = ""
    team_id: Text = ""


class Action(Payload):
    action_ts: Text = ""
    value: Text = ""
    chosen: Annotated[Text, Field(validation_alias=AliasPath("selected_option", "value"))] = ""  # of a menu
    label: Annotated[Text, Field(validation_alias=AliasPath("text", "text"))] = ""


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


class Input(Payload):
    value: Text = ""
    chosen: Annotated[Text, Field(validation_alias=AliasPath("selected_option", "value"))] = ""


class View(Payload):
    id: str
    hash: Text = ""
    private_metadata: Text = ""
    inputs: Annotated[dict[str, dict[str, Input]], Field(validation_alias=AliasPath("state", "values"))] = {}


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


class UserInfo(Payload):
    """Somebody, as users.info knows them."""

    id: Annotated[str, Field(validation_alias=AliasPath("user", "id"))]
    team: Annotated[Text, Field(validation_alias=AliasPath("user", "team_id"))] = ""
    login: Annotated[Text, Field(validation_alias=AliasPath("user", "name"))] = ""
    display_name: Annotated[Text, Field(validation_alias=AliasPath("user", "profile", "display_name"))] = ""
    real_name: Annotated[Text, Field(validation_alias=AliasPath("user", "profile", "real_name"))] = ""
    is_bot: Annotated[bool, Field(validation_alias=AliasPath("user", "is_bot"))] = False
    gone: Annotated[bool, Field(validation_alias=AliasPath("user", "deleted"))] = False  # the account was deactivated

    @property
    def name(self) -> str:
        return self.display_name or self.real_name or self.login


class Members(Payload):
    users: list[str] = []


class Conversation(Payload):
    id: str


class Conversations(Payload):
    channels: list[Conversation] = []
