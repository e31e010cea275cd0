"""Settings profiles: the limits of each user's statements, and the settings a user may change."""

from collections.abc import Mapping
from dataclasses import dataclass

from errata.warehouse.roles import Role


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting of a profile. `value`: None leaves what holds without the profile. Between `least` and `most`
    a user may choose; `is_const`: not at all; `is_open`: also a user who may change nothing else."""

    name: str
    value: int | None = None
    least: int | None = None
    most: int | None = None
    is_const: bool = False
    is_open: bool = False


Profile = tuple[Setting, ...]


# An analyst may choose formats without bounds, but never where the data comes from.
ANALYST_CHOICES = (
    "any_join_distinct_right_table_keys",
    "cancel_http_readonly_queries_on_client_close",
    "date_time_output_format",
    "enable_http_compression",
    "extremes",
    "format_csv_delimiter",
    "group_by_use_nulls",
    "http_headers_progress_interval_ms",
    "http_wait_end_of_query",
    "http_write_exception_in_output_format",
    "http_zlib_compression_level",
    "interactive_delay",
    "join_use_nulls",
    "log_comment",
    "output_format_arrow_compression_method",
    "output_format_arrow_fixed_string_as_fixed_byte_array",
    "output_format_arrow_low_cardinality_as_dictionary",
    "output_format_arrow_string_as_string",
    "output_format_decimal_trailing_zeros",
    "output_format_json_array_of_rows",
    "output_format_json_named_tuples_as_objects",
    "output_format_json_quote_64bit_floats",
    "output_format_json_quote_64bit_integers",
    "output_format_json_quote_decimals",
    "output_format_json_quote_denormals",
    "output_format_native_encode_types_in_binary_format",
    "output_format_native_write_json_as_string",
    "output_format_parquet_compression_method",
    "output_format_parquet_datetime_as_uint32",
    "output_format_parquet_string_as_string",
    "output_format_pretty_color",
    "output_format_pretty_max_rows",
    "output_format_pretty_max_value_width",
    "output_format_pretty_row_numbers",
    "output_format_write_statistics",
    "prefer_column_name_to_alias",
    "result_overflow_mode",
    "send_progress_in_http_headers",
    "session_timezone",
    "union_default_mode",
)

# Closes functions that would end the process (chdb's table function expects a Python session, which an HTTP
# connection lacks) or read any file. A server has no such function, and grants close its files.
OF_THE_EMBEDDED: Profile = (
    Setting("allow_python_table_function", 0, is_const=True),
    Setting("format_schema", is_const=True),
    Setting("format_schema_source", is_const=True),
    Setting("format_template_resultset", is_const=True),
    Setting("format_template_row", is_const=True),
    Setting("output_format_schema", is_const=True),
)

# For every user.
OF_ALL: Profile = (
    Setting("async_insert", 0),
    Setting("http_receive_timeout", 10),
    # Of one parameter: 10,000 ids are up to 390 kB. The whole address may have as many bytes.
    Setting("http_max_field_value_size", 1 << 20),
)

PROFILES: Mapping[Role, Profile] = {
    Role.ADMIN: OF_ALL,
    Role.INGEST: (*OF_ALL, Setting("max_execution_time", 20)),
    Role.BUILD: (
        *OF_ALL,
        Setting("max_threads", 1),
        Setting("max_memory_usage", 1_200_000_000),
        # What waits to be one part holds states of users: they take more than is counted of them.
        Setting("min_insert_block_size_rows", 131_072),
        Setting("min_insert_block_size_bytes", 64 << 20),
    ),
    Role.READ: (
        *OF_ALL,
        Setting("readonly", 2),
        # Statements of analysts wait, block by block, while one of a page runs.
        Setting("priority", 1),
        # Views are understood as part of the statement, not as statements of their own.
        Setting("analyzer_inline_views", 1),
        Setting("max_threads", 1),
        # An idle server reads as much in ten seconds: a statement that is ended after thirty met a busy one.
        Setting("max_rows_to_read", 200_000_000, most=200_000_000),
        Setting("max_bytes_to_read", 10_000_000_000, most=10_000_000_000),
        Setting("max_execution_time", 30, most=60),
        Setting("max_memory_usage", 600_000_000, most=600_000_000),
        Setting("max_result_rows", 1_000_000, most=1_000_000),
        Setting("max_result_bytes", 300_000_000),
        Setting("cancel_http_readonly_queries_on_client_close", 1),
    ),
    Role.ANALYST: (
        *OF_ALL,
        # Nothing can be changed but what is said to be open.
        Setting("readonly", 1),
        Setting("priority", 2),
        # 0 would mean without a limit.
        Setting("max_threads", 1, 1, 2, is_open=True),
        Setting("max_execution_time", 60, 1, 300, is_open=True),
        Setting("max_memory_usage", 500_000_000, 1, 500_000_000, is_open=True),
        Setting("max_memory_usage_for_user", 600_000_000),
        Setting("max_bytes_before_external_group_by", 200_000_000),
        Setting("max_bytes_before_external_sort", 200_000_000),
        Setting("max_concurrent_queries_for_user", 2),
        Setting("max_result_rows", 10_000_000, 1, 10_000_000, is_open=True),
        Setting("max_result_bytes", 4_000_000_000, 1, 4_000_000_000, is_open=True),
        Setting("max_block_size", least=1, most=65_536, is_open=True),
        *(
            Setting(
                name,
                1 if name == "cancel_http_readonly_queries_on_client_close" else None,
                is_open=True,
            )
            for name in ANALYST_CHOICES
        ),
    ),
}


def in_xml(name: str, profile: Profile) -> str:
    """The profile for a users file."""
    values = "".join(f"<{one.name}>{one.value}</{one.name}>" for one in profile if one.value is not None)
    bounds = "".join(f"<{one.name}>{bound}</{one.name}>" for one in profile if (bound := _bounds_in_xml(one)))
    return f"<{name}>{values}<constraints>{bounds}</constraints></{name}>"


def _bounds_in_xml(setting: Setting) -> str:
    return "".join(
        (
            f"<min>{setting.least}</min>" if setting.least is not None else "",
            f"<max>{setting.most}</max>" if setting.most is not None else "",
            "<const/>" if setting.is_const else "",
            "<changeable_in_readonly/>" if setting.is_open else "",
        )
    )


def in_sql(profile: Profile) -> str:
    """The profile's settings for a statement."""
    return ", ".join(_in_sql(one) for one in profile)


def _in_sql(setting: Setting) -> str:
    words = [setting.name]
    words += [f"= {setting.value}"] if setting.value is not None else []
    words += [f"min {setting.least}"] if setting.least is not None else []
    words += [f"max {setting.most}"] if setting.most is not None else []
    words += ["const"] if setting.is_const else ["changeable_in_readonly"] if setting.is_open else []
    return " ".join(words)
