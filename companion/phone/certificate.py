"""The certificate of the page's server. A browser gives a page the camera only over https.

Nobody vouches for it, so each phone shows a warning once. It is made on this machine and stays here. It is
limited to private addresses and `.local` names, so a phone that trusts it trusts nothing else.
"""

from __future__ import annotations

import datetime
import ipaddress
import os
import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from engine.files.atomic import make_folder

if TYPE_CHECKING:
    from cryptography import x509

_DAYS = 397
"""Phones refuse longer ones."""
_RENEW_DAYS = 14
_MOST_NAMES = 24
_PRIVATE = ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "127.0.0.0/8")


@dataclass(frozen=True, slots=True)
class ServerCertificate:
    """A certificate with its key, in one file."""

    path: Path
    """Certificate and key as PEM. Only the owner may read it."""
    public: bytes
    """The certificate alone, as DER, for a phone that wants to trust it."""
    fingerprint: str
    """SHA-256 of the certificate: pairs of hexadecimal digits with colons."""

    def context(self) -> ssl.SSLContext:
        """Return the TLS settings of a server."""
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self.path)
        return context


def server_certificate(path: Path, names: Sequence[str]) -> ServerCertificate:
    """Return the certificate in `path`, or a new one if it is missing, damaged, old or lacks a name.

    A new one keeps the names of the old one, so that a phone is not warned again in every network.

    Args:
        path: The file. It is written with mode 600.
        names: Addresses and host names that the certificate must have.

    Raises:
        OSError: the file cannot be written.
    """
    kept = _read(path)
    if kept is not None and set(names) <= set(kept[1]):
        return kept[0]
    before = kept[1] if kept is not None else []
    make_folder(path.parent)
    write_private(path, _made(list(dict.fromkeys([*names, *before]))[:_MOST_NAMES]))
    fresh = _read(path)
    if fresh is None:  # the clock is wrong by years, or the disk returns something else
        raise OSError(None, "the new certificate cannot be used", str(path))
    return fresh[0]


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner may read, also while it is being written."""
    part = path.with_name(f".{path.name}.part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    part.replace(path)


def _read(path: Path) -> tuple[ServerCertificate, list[str]] | None:
    """Return a usable certificate with its names; None if there is none."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization

    try:
        content = path.read_bytes()
        path.chmod(0o600)  # it may come from a backup that has lost the mode
        certificate = x509.load_pem_x509_certificate(content)
        serialization.load_pem_private_key(content, None)
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        found = ServerCertificate(
            path,
            certificate.public_bytes(serialization.Encoding.DER),
            certificate.fingerprint(hashes.SHA256()).hex(":").upper(),
        )
        found.context()
    except (OSError, ValueError, TypeError, ssl.SSLError, x509.ExtensionNotFound):
        return None
    now = datetime.datetime.now(datetime.UTC)
    soon = now + datetime.timedelta(days=_RENEW_DAYS)
    if not certificate.not_valid_before_utc <= now or certificate.not_valid_after_utc < soon:
        return None
    addresses = [str(address) for address in names.get_values_for_type(x509.IPAddress)]
    return found, [*addresses, *names.get_values_for_type(x509.DNSName)]


def _made(names: Sequence[str]) -> bytes:
    """Return a new self-signed certificate with its key, as PEM."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    title = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Shithead referee on this local network")])
    now = datetime.datetime.now(datetime.UTC)
    alternatives = [_general_name(name) for name in names]
    own = [str(name.value) for name in alternatives if isinstance(name, x509.IPAddress)]
    permitted: list[x509.GeneralName] = [
        x509.IPAddress(ipaddress.ip_network(net)) for net in (*_PRIVATE, *own)
    ]
    permitted += [x509.DNSName("local"), x509.DNSName("localhost")]
    usage = x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )
    certificate = (
        x509.CertificateBuilder()
        .subject_name(title)
        .issuer_name(title)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=_DAYS))
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        # An iPhone lets its owner trust only what may sign, so it may sign, for private names alone.
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.NameConstraints(permitted, None), critical=True)
        .sign(key, hashes.SHA256())
    )
    encoding = serialization.Encoding.PEM
    private = key.private_bytes(encoding, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    return private + certificate.public_bytes(encoding)


def _general_name(name: str) -> x509.GeneralName:
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)
