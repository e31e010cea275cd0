"""Issues of a running service, as a host without our code asks for them."""

import json
import urllib.request


def issue_titles(address: str, api_key: str) -> list[str]:
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {api_key}"})
    with urllib.request.urlopen(request, timeout=30) as response:
        return [issue["title"] for issue in json.load(response)["issues"]]
