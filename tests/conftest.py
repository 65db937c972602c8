"""What every test relies on: no keys, no real model requests, a data folder of its own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
for name in list(os.environ):
    if name.startswith("VESTA_") and name != "VESTA_CHROMIUM":
        del os.environ[name]

from hypothesis import HealthCheck
from hypothesis import settings as hypothesis_settings
from provider_server import KEY, ProviderServer, provider

from vesta_ui import models
from vesta_ui.models import asking, keys
from vesta_ui.settings import Settings

if TYPE_CHECKING:
    import ui_page

hypothesis_settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
hypothesis_settings.load_profile("busy")  # a busy machine is slow at everything; what is asserted is not speed

KEYS = ("OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL")


@pytest.fixture(autouse=True)
def no_real_models(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Any model request that would leave this machine raises; a try is soon followed by the next."""
    for key in KEYS:
        monkeypatch.delenv(key, raising=False)
    monkeypatch.setattr(models, "ALLOW_REQUESTS", False)
    monkeypatch.setattr(asking, "BACKOFF_S", 0.01)
    yield
    for name in keys.VARIABLES:
        keys.set_key(name, "")
    models._KNOWN.clear()  # the next server may have this one's port


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    """A model provider on this machine."""
    with provider() as one:
        yield one


@pytest.fixture
def google(server: ProviderServer, monkeypatch: pytest.MonkeyPatch) -> ProviderServer:
    """The same as Google's."""
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.root)
    monkeypatch.setattr("vesta_ui.models.gemini.POLL_S", 0.02)  # by its name: importing the SDK here slows every test
    return server


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ui_page.Site]:
    """The page served with a browser beside it, for all tests of a file."""
    import ui_page  # gradio and a browser, for those who ask

    with ui_page.site(tmp_path_factory.mktemp("site")) as made:
        yield made


@pytest.fixture(autouse=True)
def quiet(request: pytest.FixtureRequest) -> Iterator[None]:
    """In browser tests no error reaches the console and no request leaves this machine; what a test opened is closed."""
    if not request.node.get_closest_marker("browser"):
        yield
        return
    site: ui_page.Site = request.getfixturevalue("site")
    site.noise.clear()
    yield
    for context in site.browser.contexts:
        context.close()
    assert not site.noise, site.noise


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file's tests stay on one worker; all browser tests share one, since two browsers crowd two cores."""
    for item in items:
        group = "browser" if item.get_closest_marker("browser") else item.path.name
        item.add_marker(pytest.mark.xdist_group(group))
