"""`python -m demo.shop`: the shop alone."""

import argparse
from pathlib import Path

import uvicorn

from demo.shop.app import create_app
from demo.shop.settings import ShopSettings


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m demo.shop")
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--app-key", required=True)
    parser.add_argument("--logs", type=Path, required=True, help="the shipper's storage path")
    parser.add_argument("--release", default="shop-web@1.4.0")
    chosen = parser.parse_args()
    app = create_app(ShopSettings(chosen.app_key, chosen.logs, chosen.release, has_jobs=True))
    uvicorn.run(app, host="127.0.0.1", port=chosen.port, log_level="warning")


if __name__ == "__main__":
    main()
