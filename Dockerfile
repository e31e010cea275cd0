# Errata in one container: `errata up` with warehouse, web and pipelines. The second target is the shipper.
# docs/docker.md says how to run them.
FROM python:3.13-slim-bookworm AS build
RUN python -m venv /opt/errata /opt/shipper
COPY pyproject.toml hatch_build.py README.md LICENSE NOTICE /src/
COPY errata /src/errata
COPY api /src/api
COPY pipelines /src/pipelines
COPY dashboards /src/dashboards
COPY warehouse_sql /src/warehouse_sql
COPY docs /src/docs
COPY shipper /src/shipper
COPY sdk /src/sdk
COPY wire /src/wire
RUN /opt/errata/bin/pip install --no-cache-dir "/src/wire[zstd]" /src/shipper "/src[postgres,s3,sourcemaps]"
RUN /opt/shipper/bin/pip install --no-cache-dir "/src/wire[zstd]" /src/shipper

FROM python:3.13-slim-bookworm AS shipper
COPY --from=build /opt/shipper /opt/shipper
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin errata
USER 10001
ENTRYPOINT ["/opt/shipper/bin/errata-shipper", "--config", "/etc/errata/errata.yaml"]
CMD ["--record"]

FROM python:3.13-slim-bookworm AS server
COPY --from=build /opt/errata /opt/errata
RUN useradd --system --uid 10001 --home-dir /var/lib/errata --shell /usr/sbin/nologin errata \
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
