"""Real certificates for localhost, made with openssl: a good one, and those that go wrong in the field."""

import shutil
import ssl
import subprocess
from pathlib import Path

import pytest

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificates")

_NEW_KEY = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -batch"


class Authority:
    """A certificate authority in a folder; `path` is what to trust."""

    def __init__(
        self, folder: Path, extensions: str = "keyUsage=critical,digitalSignature,keyCertSign"
    ) -> None:
        self._folder = folder
        self._extensions = extensions
        self.path = self.self_signed("authority")

    def self_signed(self, name: str, host: str = "localhost") -> Path:
        certificate = self._folder / f"{name}.pem"
        self._openssl(
            f"req -x509 {_NEW_KEY} -days 2 -keyout {name}.key -out {name}.pem "
            f"-subj /CN={name} -addext subjectAltName=DNS:{host} "
            f"-addext {self._extensions}"
        )
        return certificate

    def signed(self, name: str, host: str = "localhost", days: int = 2) -> Path:
        """With fewer than no days it has expired before it was made."""
        (self._folder / "extensions").write_text(
            f"subjectAltName=DNS:{host}\nsubjectKeyIdentifier=hash\nauthorityKeyIdentifier=keyid\n"
        )
        self._openssl(f"req {_NEW_KEY} -keyout {name}.key -out {name}.csr -subj /CN={host}")
        self._openssl(
            f"x509 -req -in {name}.csr -CA authority.pem -CAkey authority.key -set_serial 7 -days {days} "
            f"-out {name}.pem -extfile extensions"
        )
        return self._folder / f"{name}.pem"

    def server_context(self, certificate: Path) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, certificate.with_suffix(".key"))
        return context

    def _openssl(self, arguments: str) -> None:
        subprocess.run(["openssl", *arguments.split()], cwd=self._folder, check=True, capture_output=True)
