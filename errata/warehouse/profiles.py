"""Settings profiles: the limits of each user's statements, and the settings a user may change."""

from collections.abc import Mapping

from errata.warehouse.roles import Role

PROFILES: Mapping[Role, str] = {
    Role.ADMIN: "default",
    Role.INGEST: "ingest",
    Role.BUILD: "build",
    Role.READ: "read",
    Role.ANALYST: "analyst",
}

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
_CHOICES_XML = "".join(f"<{name}><changeable_in_readonly/></{name}>" for name in ANALYST_CHOICES)

# `default` holds for every user, and the others add to it. It closes functions that would end the process
# (chdb's table function expects a Python session, which an HTTP connection lacks) or read any file.
PROFILES_XML = f"""<profiles>
    <default>
        <async_insert>0</async_insert>
        <http_receive_timeout>10</http_receive_timeout>
        <!-- Of one parameter: 10,000 ids are up to 390 kB. The whole address may have as many bytes. -->
        <http_max_field_value_size>1048576</http_max_field_value_size>
        <allow_python_table_function>0</allow_python_table_function>
        <constraints>
            <allow_python_table_function><const/></allow_python_table_function>
            <format_schema><const/></format_schema>
            <format_schema_source><const/></format_schema_source>
            <format_template_resultset><const/></format_template_resultset>
            <format_template_row><const/></format_template_row>
            <output_format_schema><const/></output_format_schema>
        </constraints>
    </default>
    <ingest><async_insert>0</async_insert><max_execution_time>20</max_execution_time></ingest>
    <build>
        <async_insert>0</async_insert>
        <max_threads>1</max_threads>
        <max_memory_usage>1200000000</max_memory_usage>
        <!-- What waits to be one part holds states of users: they take more than is counted of them. -->
        <min_insert_block_size_rows>131072</min_insert_block_size_rows>
        <min_insert_block_size_bytes>67108864</min_insert_block_size_bytes>
    </build>
    <read>
        <readonly>2</readonly>
        <!-- Views are understood as part of the statement, not as statements of their own. -->
        <analyzer_inline_views>1</analyzer_inline_views>
        <max_threads>1</max_threads>
        <max_execution_time>20</max_execution_time>
        <max_memory_usage>600000000</max_memory_usage>
        <max_result_rows>1000000</max_result_rows>
        <max_result_bytes>300000000</max_result_bytes>
        <cancel_http_readonly_queries_on_client_close>1</cancel_http_readonly_queries_on_client_close>
        <constraints>
            <max_execution_time><max>60</max></max_execution_time>
            <max_memory_usage><max>600000000</max></max_memory_usage>
            <max_result_rows><max>1000000</max></max_result_rows>
        </constraints>
    </read>
    <analyst>
        <!-- Nothing can be changed but what is said to be changeable. -->
        <readonly>1</readonly>
        <max_threads>1</max_threads>
        <max_execution_time>60</max_execution_time>
        <max_memory_usage>500000000</max_memory_usage>
        <max_memory_usage_for_user>600000000</max_memory_usage_for_user>
        <max_bytes_before_external_group_by>200000000</max_bytes_before_external_group_by>
        <max_bytes_before_external_sort>200000000</max_bytes_before_external_sort>
        <max_concurrent_queries_for_user>4</max_concurrent_queries_for_user>
        <max_result_rows>10000000</max_result_rows>
        <max_result_bytes>4000000000</max_result_bytes>
        <cancel_http_readonly_queries_on_client_close>1</cancel_http_readonly_queries_on_client_close>
        <constraints>
            <!-- 0 would mean without a limit. -->
            <max_threads><min>1</min><max>2</max><changeable_in_readonly/></max_threads>
            <max_execution_time><min>1</min><max>300</max><changeable_in_readonly/></max_execution_time>
            <max_memory_usage><min>1</min><max>500000000</max><changeable_in_readonly/></max_memory_usage>
            <max_result_rows><min>1</min><max>10000000</max><changeable_in_readonly/></max_result_rows>
            <max_result_bytes><min>1</min><max>4000000000</max><changeable_in_readonly/></max_result_bytes>
            <max_block_size><min>1</min><max>65536</max><changeable_in_readonly/></max_block_size>
            {_CHOICES_XML}
        </constraints>
    </analyst>
</profiles>
"""
