"""A bucket of S3, or of what speaks like it: the only place that knows boto3."""

import hashlib
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from errata.backup.errors import BackupFailed

KEY, SECRET, TOKEN = "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"
REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")
ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
CHUNK_BYTES = 1 << 20
DELETED_AT_ONCE = 1000


@dataclass(frozen=True)
class Credentials:
    access_key: str
    secret_key: str

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> "Credentials":
        """Only of the environment, so that no file of a person's is used by accident. Raises BackupFailed."""
        if not environ.get(KEY) or not environ.get(SECRET):
            raise BackupFailed(f"s3:// needs {KEY} and {SECRET}")
        if environ.get(TOKEN):
            raise BackupFailed(f"The warehouse doesn't accept {TOKEN}: use a key without one")
        return cls(environ[KEY], environ[SECRET])


class ObjectStorage:
    """Objects of one bucket below a prefix. Every method raises BackupFailed where the storage refuses."""

    def __init__(self, bucket: str, prefix: str, environ: Mapping[str, str]) -> None:
        self.credentials = Credentials.of(environ)
        self._bucket = bucket
        self._prefix = f"{prefix}/" if prefix else ""
        self._client = _client(self.credentials, environ)

    def url(self, path: str) -> str:
        """As the engine names it."""
        return f"{self._client.meta.endpoint_url}/{self._bucket}/{self._prefix}{path}"

    def names(self) -> list[str]:
        """Of what looks like folders, sorted."""
        return sorted(
            each["Prefix"].removeprefix(self._prefix).rstrip("/")
            for page in self._pages(self._prefix, Delimiter="/")
            for each in page.get("CommonPrefixes", ())
        )

    def sizes(self, folder: str) -> dict[str, int]:
        """By path within the folder."""
        prefix = f"{self._prefix}{folder}/"
        return {
            each["Key"].removeprefix(prefix): each["Size"]
            for page in self._pages(prefix)
            for each in page.get("Contents", ())
        }

    def has(self, path: str) -> bool:
        key = self._prefix + path
        return any(each["Key"] == key for page in self._pages(key) for each in page.get("Contents", ()))

    def content(self, path: str) -> bytes:
        """Of a small object. Raises FileNotFoundError."""
        with _translated(path):
            found: bytes = self._get(path)["Body"].read()
        return found

    def checksum(self, path: str) -> str:
        """SHA-256 in hexadecimal digits, a megabyte at a time."""
        digest = hashlib.sha256()
        with _translated(path):
            for chunk in self._get(path)["Body"].iter_chunks(CHUNK_BYTES):
                digest.update(chunk)
        return digest.hexdigest()

    def upload(self, file: Path, path: str) -> None:
        with _translated(path):
            self._client.upload_file(str(file), self._bucket, self._prefix + path)

    def download(self, path: str, file: Path) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        with _translated(path), os.fdopen(os.open(file, flags, 0o600), "wb") as opened:
            self._client.download_fileobj(self._bucket, self._prefix + path, opened)

    def delete(self, folder: str, paths: list[str]) -> None:
        keys = [{"Key": f"{self._prefix}{folder}/{path}"} for path in paths]
        for start in range(0, len(keys), DELETED_AT_ONCE):
            with _translated(folder):
                done = self._client.delete_objects(
                    Bucket=self._bucket, Delete={"Objects": keys[start:][:DELETED_AT_ONCE], "Quiet": True}
                )
            if done.get("Errors"):
                raise BackupFailed(f"{folder} could not be deleted: {done['Errors'][0].get('Code')}")

    def _get(self, path: str) -> Any:
        return self._client.get_object(Bucket=self._bucket, Key=self._prefix + path)

    def _pages(self, prefix: str, **more: str) -> Iterator[Any]:
        with _translated(self._bucket):
            yield from self._client.get_paginator("list_objects_v2").paginate(
                Bucket=self._bucket, Prefix=prefix, **more
            )


def _client(credentials: Credentials, environ: Mapping[str, str]) -> Any:
    try:
        import boto3
        from botocore.config import Config
    except ImportError as error:
        raise BackupFailed("s3:// needs the extra `s3`: pip install boto3") from error
    return boto3.client(
        "s3",
        region_name=next((environ[name] for name in REGIONS if environ.get(name)), "us-east-1"),
        endpoint_url=next((environ[name] for name in ENDPOINTS if environ.get(name)), None),
        aws_access_key_id=credentials.access_key,
        aws_secret_access_key=credentials.secret_key,
        config=Config(s3={"addressing_style": "path"}, retries={"mode": "standard", "max_attempts": 5}),
    )


@contextmanager
def _translated(what: str) -> Iterator[None]:
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code in ("NoSuchKey", "404"):
            raise FileNotFoundError(what) from error
        raise BackupFailed(f"S3 refused {what}: {code}") from error
    except BotoCoreError as error:
        raise BackupFailed(f"S3 did not respond: {type(error).__name__}") from error
