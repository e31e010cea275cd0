"""A server that speaks S3, in a process of its own: moto's, which keeps everything in memory."""

import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tests.processes import free_port

BUCKET = "errata-backups"
ACCESS_KEY, SECRET_KEY = "AKIAEXAMPLEOFTESTS", "planted/secret+of'the\\bucket"


@dataclass(frozen=True)
class S3Server:
    url: str

    @property
    def environ(self) -> Mapping[str, str]:
        return {
            "AWS_ACCESS_KEY_ID": ACCESS_KEY,
            "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
            "AWS_ENDPOINT_URL_S3": self.url,
            "AWS_REGION": "us-east-1",
        }

    @property
    def client(self) -> Any:
        import boto3

        return boto3.client(
            "s3",
            endpoint_url=self.url,
            region_name="us-east-1",
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
        )

    def objects(self) -> dict[str, int]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=BUCKET)
        return {each["Key"]: each["Size"] for page in pages for each in page.get("Contents", ())}

    def body(self, key: str) -> bytes:
        found: bytes = self.client.get_object(Bucket=BUCKET, Key=key)["Body"].read()
        return found


@contextmanager
def s3_server() -> Iterator[S3Server]:
    """With one bucket."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    server = S3Server(f"http://127.0.0.1:{port}")
    try:
        from botocore.exceptions import EndpointConnectionError

        deadline = time.monotonic() + 60
        while True:
            try:
                server.client.create_bucket(Bucket=BUCKET)
                break
            except EndpointConnectionError:
                assert process.poll() is None and time.monotonic() < deadline
                time.sleep(0.2)
        yield server
    finally:
        process.kill()
        process.wait()
