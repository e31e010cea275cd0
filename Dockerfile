# Errata in one container: `errata up` with warehouse, web and pipelines. The second target is the shipper.
# docs/docker.md says how to run them. BASE: any image with Python 3.11 to 3.13 as `python3`.
ARG BASE=python:3.13-slim-bookworm

FROM ${BASE} AS build
RUN python3 -m venv /opt/errata && python3 -m venv /opt/shipper
COPY pyproject.toml hatch_build.py constraints.txt README.md LICENSE NOTICE /src/
COPY errata /src/errata
COPY api /src/api
COPY pipelines /src/pipelines
COPY dashboards /src/dashboards
COPY warehouse_sql /src/warehouse_sql
COPY docs /src/docs
COPY shipper /src/shipper
COPY sdk /src/sdk
COPY wire /src/wire
# The versions that are tested. pip takes no hashes beside folders, so they are left out. Neither venv keeps pip.
RUN grep -E '^[A-Za-z0-9]' /src/constraints.txt | sed 's/ *\\$//' > /tmp/versions.txt \
    && /opt/errata/bin/pip install --no-cache-dir --constraint /tmp/versions.txt \
        "/src/wire[otlp,zstd]" /src/shipper "/src[postgres,s3,sourcemaps]" \
    && /opt/shipper/bin/pip install --no-cache-dir --constraint /tmp/versions.txt \
        "/src/wire[zstd]" "/src/shipper[otlp]" \
    && /opt/errata/bin/pip uninstall --yes pip && /opt/shipper/bin/pip uninstall --yes pip

FROM ${BASE} AS shipper
COPY --from=build /opt/shipper /opt/shipper
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin errata
USER 10001
ENTRYPOINT ["/opt/shipper/bin/errata-shipper", "--config", "/etc/errata/errata.yaml"]
CMD ["--record"]

FROM ${BASE} AS server
COPY --from=build /opt/errata /opt/errata
RUN useradd --uid 10001 --home-dir /var/lib/errata --shell /usr/sbin/nologin errata \
    && install -d -o 10001 -g 10001 -m 0700 /var/lib/errata /var/lib/errata/data /backups
ENV ERRATA_DATA=/var/lib/errata/data PYTHONUNBUFFERED=1 PATH=/opt/errata/bin:$PATH
USER 10001
WORKDIR /var/lib/errata
VOLUME ["/var/lib/errata", "/backups"]
EXPOSE 8000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=120s --retries=3 CMD ["errata", "healthcheck"]
ENTRYPOINT ["errata"]
# All addresses of the container; compose.yaml publishes the port on loopback only.
CMD ["up", "--host", "0.0.0.0", "--port", "8000"]
