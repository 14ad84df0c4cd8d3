"""Tasks: who is asked what about which sentence, and what they answered, kept so that nothing is lost or counted twice."""

from tolka.errors import MissingExtraError

try:
    import tolka.web  # noqa: F401 (first of all, since it knows which packages there must be)
    from tolka.assist.tasks.creation import Made, create_tasks
    from tolka.assist.tasks.folder import TaskFolder, open_tasks
    from tolka.assist.tasks.known import Known, KnownTest, read_known
    from tolka.assist.tasks.settings import TaskSettings
    from tolka.assist.tasks.shown import Given, Shown, View
    from tolka.assist.tasks.task import Material, Task, Trust, register, task_named, task_names
except MissingExtraError:
    raise MissingExtraError("asking people about sentences", "judge") from None

__all__ = [
    "Given",
    "Known",
    "KnownTest",
    "Made",
    "Material",
    "Shown",
    "Task",
    "TaskFolder",
    "TaskSettings",
    "Trust",
    "View",
    "create_tasks",
    "open_tasks",
    "read_known",
    "register",
    "task_named",
    "task_names",
]
