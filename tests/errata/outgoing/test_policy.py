import pytest

from errata.outgoing.connection import Deadline, connect
from errata.outgoing.errors import AddressRefused
from errata.outgoing.policy import Policy, parsed_networks
from tests.cases import each

PRIVATE = """
    127.0.0.1 127.8.9.10 10.0.0.1 172.16.0.1 172.31.255.255 192.168.1.1 169.254.169.254 100.64.0.1
    100.100.100.200 0.0.0.0 0.1.2.3 192.0.0.192 192.0.2.1 198.18.0.1 198.51.100.1 203.0.113.1 224.0.0.1
    239.1.1.1 240.0.0.1 255.255.255.255 168.63.129.16
    :: ::1 fe80::1 fec0::1 fc00::1 fd00:ec2::254 ff02::1 2001:db8::1 3fff::1 100::1 4000::1
    ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:169.254.169.254 ::ffff:0.0.0.0
    ::127.0.0.1 ::10.0.0.1
    64:ff9b::7f00:1 64:ff9b::a9fe:a9fe 64:ff9b:1::1
    2002:7f00:1:: 2002:a00:1::1 2002:c0a8:101::
    2001:0:4136:e378:8000:63bf:f5ff:fffe 2001::1
""".split()
PUBLIC = "8.8.8.8 1.1.1.1 172.32.0.1 192.169.0.1 2606:4700:4700::1111 ::ffff:8.8.8.8 64:ff9b::808:808".split()


@each("address", PRIVATE)
def test_an_address_of_no_public_machine_is_refused(address: str) -> None:
    with pytest.raises(AddressRefused):
        Policy().check("example.org", address)


@each("address", PUBLIC)
def test_a_public_address_is_allowed(address: str) -> None:
    Policy().check("example.org", address)


def test_the_operator_opens_networks_and_no_others() -> None:
    policy = Policy(parsed_networks("10.1.0.0/16, 192.168.4.7 ,fd00::/8"))
    for allowed in ("10.1.200.1", "192.168.4.7", "fd12::3", "::ffff:10.1.0.1", "8.8.8.8"):
        policy.check("mail", allowed)
    for refused in ("10.2.0.1", "192.168.4.8", "127.0.0.1", "::1", "fe80::1"):
        with pytest.raises(AddressRefused, match="ERRATA_OUTGOING_NETWORKS"):
            policy.check("mail", refused)


def test_even_all_networks_opened_let_nobody_send_to_many() -> None:
    with pytest.raises(AddressRefused):
        Policy(parsed_networks("0.0.0.0/0, ::/0")).check("mail", "224.0.0.1")


def test_a_network_with_a_machine_in_it_is_a_typo() -> None:
    with pytest.raises(ValueError, match=r"10\.1\.2\.3/16"):
        parsed_networks("10.1.2.3/16")


def test_a_service_that_sends_nothing_reaches_no_address_and_looks_up_no_name() -> None:
    silent = Policy(parsed_networks("127.0.0.0/8"), allows_http=True, allows_nothing=True)
    for host, address in (("example.org", "93.184.215.14"), ("localhost", "127.0.0.1")):
        with pytest.raises(AddressRefused, match="sends nothing"):
            silent.check(host, address)
    with pytest.raises(AddressRefused, match="sends nothing"):
        connect(silent, "no-such-name.invalid", 443, Deadline.after(5, "no-such-name.invalid"))
