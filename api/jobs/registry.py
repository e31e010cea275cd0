"""The list of jobs."""

from api.context import Context
from api.jobs.alert_delivery import alert_delivery_job
from api.jobs.alert_evaluation import alert_evaluation_job
from api.jobs.auto_merge import auto_merge_job
from api.jobs.erasures import erasure_job
from api.jobs.followed_escalations import followed_escalation_job
from api.jobs.job import Job
from api.jobs.notification_mails import notification_mail_job
from api.jobs.notifications import notification_job
from api.jobs.project_names import project_names_job
from api.jobs.recordings import recordings_job
from api.jobs.regressions import regression_job
from api.jobs.regrouping import regrouping_job
from api.jobs.report_mails import report_mail_job
from api.jobs.retention import retention_job
from api.jobs.source_maps import source_map_removal_job, variant_mapping_job
from api.jobs.spike_protection import spike_protection_job
from api.jobs.tracker_links import tracker_link_job
from api.jobs.uptimes import uptime_job
from api.jobs.wakes import wake_job


def jobs_of(context: Context) -> list[Job]:
    """All jobs. To add one: a module in this folder with `def x_job(context: Context) -> Job`, and its line
    here."""
    return [
        alert_evaluation_job(context),
        alert_delivery_job(context),
        regression_job(context),
        tracker_link_job(context),
        wake_job(context),
        notification_job(context),
        followed_escalation_job(context),
        notification_mail_job(context),
        regrouping_job(context),
        auto_merge_job(context),
        report_mail_job(context),
        project_names_job(context),
        retention_job(context),
        variant_mapping_job(context),
        source_map_removal_job(context),
        recordings_job(context),
        erasure_job(context),
        spike_protection_job(context),
        uptime_job(context),
    ]
