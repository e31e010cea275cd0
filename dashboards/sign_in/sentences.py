"""What the sign-in page says of a failure."""

SENTENCES = {
    "invalid_credentials": "Wrong email address or password.",
    "sign_in_expired": "The sign-in took too long. Start again.",
    "rate_limited": "Too many attempts. Wait five minutes, then try again.",
    "state_unavailable": "The account store isn't responding. Try again shortly.",
    "csrf_failed": "The page has expired. Try again.",
    "oidc_unreachable": "The sign-in provider can't be reached. Try again, or use your password.",
    "oidc_refused": "The sign-in provider refused the sign-in. Try again, or ask an owner.",
    "oidc_sign_in_ended": "This sign-in has ended, or another tab started a newer one. Start again.",
    "oidc_email_not_verified": "The sign-in provider hasn't verified your email address.",
    "oidc_domain_not_allowed": "Email addresses of your domain can't sign in here.",
    "oidc_no_role": "None of your groups has access to this service. Ask an owner.",
    "oidc_person_removed": "You were removed from the organization. Ask an owner to invite you.",
    "oidc_other_identity": "The account with your email address is linked to someone else at the provider. "
    "Ask the administrator of this service.",
}
# Of `oidc_token_invalid`.
REASONS = {
    "issuer": "it was issued by another provider",
    "audience": "it was issued for another service",
    "expired": "it has expired, or the clocks differ",
    "nonce": "it belongs to another sign-in",
    "algorithm": "its signature algorithm isn't allowed",
    "signature": "its signature is wrong",
    "subject": "it doesn't identify a user",
}


def sentence_of(error: str, reason: str) -> str:
    if error == "oidc_token_invalid":
        why = REASONS.get(reason, "it can't be read")
        return f"The sign-in provider's answer was refused: {why}. Try again, or ask an owner."
    return SENTENCES.get(error, "Sign-in failed. Try again.")
