"""The catalog of secrets itself, and every secret of it at every place, by the engine alone."""

from tests.secret_catalog import SECRETS


def test_each_secret_can_be_told_from_all_others() -> None:
    assert len({secret.id for secret in SECRETS}) == len(SECRETS) >= 150
    gone = [part for secret in SECRETS for part in secret.gone]
    assert len(set(gone)) == len(gone) and min(map(len, gone)) >= 8
    texts = [secret.text.replace(r"\n", "\n") for secret in SECRETS]
    for secret, text in zip(SECRETS, texts, strict=True):
        assert all(part in text for part in secret.gone), secret
        assert not any(part in other for part in secret.gone for other in texts if other is not text), secret
