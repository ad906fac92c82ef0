"""What a message may be, and which command, by name."""

from enum import StrEnum


class Route(StrEnum):
    """What a message is."""

    CHANGE = "change"  # the code should be different
    QUESTION = "question"  # about the code
    SKILL = "skill"  # a skill is to be drafted
    ABOUT_TASK = "about_task"  # how a task stands, or what the bot does
    STEER = "steer"  # a task, or the queue
    REMARK = "remark"  # an answer or a remark: nothing is asked for
    NOTHING = "nothing"  # not meant for the bot


class Act(StrEnum):
    """A command, however it was put."""

    STOP = "stop"
    RESUME = "resume"
    CANCEL = "cancel"
    RETRY = "retry"
    SNOOZE = "snooze"
    APPROVE = "approve"
    STATUS = "status"
    WHY = "why"
    COST = "cost"
    TASKS = "tasks"
    FOR_ME = "for_me"
    WHO_CAN_APPROVE = "who_can_approve"
    PAUSE_QUEUE = "pause_queue"
    RESUME_QUEUE = "resume_queue"
    QUEUE_STATUS = "queue_status"
    HELP = "help"


class Mistake(StrEnum):
    """Why a request is none."""

    BY_PERSON = "by_person"  # a person withdrew it
    COMMAND = "command"  # it was a command in free words
    TALK = "talk"  # nothing was asked for
