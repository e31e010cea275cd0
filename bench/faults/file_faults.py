"""What happens to log files."""

from bench.faults.run import Run


def rename(run: Run) -> None:
    """Rotation by rename; the application goes on writing to the renamed file for a moment."""
    run.begin()
    for number in run.rounds():
        with run.application.opened(run.application.today) as log:
            log.write()
            log.path.rename(log.path.with_name(f"{log.path.name}.{number + 1}"))
            run.pause(0.1)
            log.write(run.chance.randrange(3))
