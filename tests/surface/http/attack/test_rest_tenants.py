"""Over REST, no route, header or key of one tenant tells another anything or lets it in."""

from collections.abc import Iterable
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests.surface.http.attack.conftest import Served
from tests.surface.http.attack.known_ids import IdKind, make_up
from tests.surface.http.attack.rest_calls import (
    ROUTES_BY_NAME,
    RestTenant,
    build_example,
    compare_answer,
)

from memoria.model.access import Access
from memoria.surface.http.rest.routes import ROUTES
from memoria.surface.http.rest.table import RestRoute

Row = RestRoute[Any]
Drawn = tuple[Row, dict[str, IdKind]]
"""A route, and the kinds of id that are put into arguments of it."""
_NUMBERS = count(1)
_NO_ANSWERS = {"begin_night", "undo_night", "list_events"}
"""Operations that go on after their answer, which what follows may see or not, or go on and on."""
_READS = [one for one in ROUTES if one.method == "GET" and one.name != "export_memory"]


class Tenants:
    """One tenant that has memories, and twins who have none."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.ann = RestTenant(served, "ann")
        self.ids = self.ann.fill()
        self.made_up = make_up(self.ids)

    def make_twins(self) -> tuple[RestTenant, RestTenant]:
        """Return two tenants that have nothing."""
        number = next(_NUMBERS)
        return RestTenant(self.served, f"ben{number:04}"), RestTenant(
            self.served, f"cat{number:04}"
        )

    def compare(self, drawn: Iterable[Drawn], **headers: str) -> None:
        """Have both twins make the same calls, one with ids that are, one with ids that never were.

        Args:
            drawn: the calls.
            headers: of each call; `{key}` and other names in braces stand for ids.
        """
        ben, cat = self.make_twins()
        for route, kinds in drawn:
            told = []
            for tenant, ids in ((ben, self.ids), (cat, self.made_up)):
                arguments = build_example(route, ids) | {
                    name: [ids[kind]] if name in ("ids", "keep") else ids[kind]
                    for name, kind in kinds.items()
                }
                sent = {name: value.format(**ids) for name, value in headers.items()}
                answer = tenant.send(route, arguments, **sent)
                assert answer.status_code < 500, (route.name, arguments, answer.text)
                told.append(compare_answer(answer, ids | tenant.own))
            if route.name == "begin_night":  # which goes on after the answer, or is done by then
                told = [one.partition(" ")[0] for one in told]
            assert told[0] == told[1], (route.name, kinds)
            self.served.check_tells_nothing(told[0])


@pytest.mark.parametrize("part", range(3))
def test_ids_of_another_tenant_answer_as_ids_that_never_were(served: Served, part: int) -> None:
    tenants = Tenants(served)
    tenants.compare((route, {}) for route in ROUTES[part::3])
    tenants.compare(((route, {}) for route in ROUTES[part::3]), **{"Idempotency-Key": "{key}"})


def test_any_id_in_any_argument_tells_nothing_of_another_tenant(served: Served) -> None:
    tenants = Tenants(served)
    kinds = st.sampled_from([*tenants.ids])

    def draw(route: Row) -> st.SearchStrategy[Drawn]:
        names = st.sampled_from([*route.order.model_fields] or ["x"])
        return st.tuples(st.just(route), st.dictionaries(names, kinds, max_size=3))

    calls = st.sampled_from([one for one in ROUTES if one.name not in _NO_ANSWERS]).flatmap(draw)

    @settings(
        max_examples=5,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow],
        database=None,
    )
    @given(st.lists(calls, min_size=4, max_size=10))
    def compare(drawn: list[Drawn]) -> None:
        tenants.compare(drawn)

    compare()


def test_every_route_asks_for_a_token_and_for_its_access(served: Served) -> None:
    ids = make_up(dict(RestTenant(served, "ann").fill()))
    callers = {access: RestTenant(served, "ben", access) for access in (None, *Access)}
    for route in ROUTES:
        for access, caller in callers.items():
            if access is not None and access.includes(route.access):
                continue
            answer = caller.send(route, build_example(route, ids))
            assert answer.status_code == (401 if access is None else 403), (route.name, access)
            assert answer.headers["content-type"] == "application/problem+json", route.name
            # A refusal comes before the arguments are read: it is the same for any.
            other = caller.send(route, dict.fromkeys(route.path_names, "\x00"))
            assert (other.status_code, other.text) == (answer.status_code, answer.text)


@pytest.mark.parametrize("part", range(3))
def test_every_method_on_every_path_asks_for_a_token(served: Served, part: int) -> None:
    nobody, reader = RestTenant(served, "ann", None), RestTenant(served, "ann", Access.READ)
    for number, route in enumerate(ROUTES[part::3]):
        path = route.open_path.format(**dict.fromkeys(route.path_names, "x"))
        targets = (f"{path}/", f"/{path}", path.upper(), f"{path};x", f"{path}%2f")
        target = targets[number % len(targets)]  # the guard before all routes knows none
        assert nobody.http.request(route.method, target).status_code == 401, target
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "HEAD", "X"):
            assert nobody.http.request(method, path).status_code == 401, (method, path)
        for method in ("DELETE", "TRACE", "X"):
            answer = reader.http.request(method, path)
            assert answer.status_code == 405, (method, path)
            served.check_tells_nothing(answer.text)


def test_a_tenant_named_in_a_call_is_the_callers_or_the_call_is_refused(served: Served) -> None:
    tenants = Tenants(served)
    ben, _ = tenants.make_twins()
    before = ben.do("tell_status")["turns"]
    odd = ("nobody", "", None, ["ann"], {"ann": 1}, 1, "ann\0", "Ann")
    for number, route in enumerate(ROUTES):
        if route.reads_json:
            example = build_example(route, tenants.ids)
            for tenant in ("ann", odd[number % len(odd)]):
                answer = ben.send(route, {**example, "tenant_id": tenant})
                assert answer.status_code in (403, 422), (route.name, tenant, answer.text)
                served.check_tells_nothing(answer.text)
    assert ben.do("tell_status")["turns"] == before
    named = {
        "X-Tenant-Id": "ann",
        "X-Tenant": "ann",
        "X-Forwarded-User": "ann",
        "Cookie": "tenant=ann",
    }
    for route in _READS:
        arguments = build_example(route, tenants.ids)
        plain, told = ben.send(route, arguments), ben.send(route, arguments, **named)
        assert (told.status_code, told.text) == (plain.status_code, plain.text), route.name
        answer = ben.send(route, {**arguments, "tenant_id": "ann"})
        assert answer.status_code in (403, 404, 422), (route.name, answer.text)
        served.check_tells_nothing(answer.text)


def test_no_tag_of_one_tenants_answer_is_taken_from_another(served: Served) -> None:
    tenants = Tenants(served)
    ben, _ = tenants.make_twins()
    for route in _READS:
        arguments = build_example(route, tenants.ids)
        hers = tenants.ann.send(route, arguments)
        tag = hers.headers.get("etag")
        if hers.status_code != 200 or tag is None:
            continue
        plain = ben.send(route, arguments)
        for shown in (tag, f"W/{tag.removeprefix('W/')}", f'"x", {tag}', tag.strip('"'), "*"):
            his = ben.send(route, arguments, **{"If-None-Match": shown})
            if his.status_code == 304:  # it tells no more than he has himself
                assert plain.status_code == 200, route.name
                assert shown == "*" or plain.text == hers.text, (route.name, shown)
            else:
                assert (his.status_code, his.text) == (plain.status_code, plain.text), route.name
    revise = ROUTES_BY_NAME["revise_memory"]
    tag = tenants.ann.send(
        ROUTES_BY_NAME["get_memory"], {"memory_id": tenants.ids["memory"]}
    ).headers["etag"]
    for shown in (tag, "*", '"x"', "", tag + tag, "\xff"):
        tenants.compare([(revise, {})], **{"If-Match": shown})
        tenants.compare([(revise, {})], **{"If-None-Match": shown})


def test_a_key_of_one_tenant_repeats_nothing_for_another(served: Served) -> None:
    ann, ben = RestTenant(served, "ann"), RestTenant(served, "ben")
    for name, arguments in (
        ("remember", {"content": "Ann and Ben keep bees."}),
        (
            "record_conversation",
            {"turns": [{"role": "user", "content": "We keep bees."}], "session_id": "s"},
        ),
    ):
        route = ROUTES_BY_NAME[name]
        answers = [
            one.send(route, arguments, **{"Idempotency-Key": "k"}) for one in (ann, ben, ann, ben)
        ]
        assert {one.status_code for one in answers} == {200}
        texts = [one.text for one in answers]
        assert not {texts[0], texts[2]} & {texts[1], texts[3]}, name
    weak = RestTenant(served, "ann", Access.READ)
    answer = weak.send(
        ROUTES_BY_NAME["record_conversation"], {"turns": []}, **{"Idempotency-Key": "k"}
    )
    assert answer.status_code == 403


def test_an_odd_key_or_tag_fails_nothing(served: Served) -> None:
    ann = RestTenant(served, "ann")
    odd = ("", "k" * 10_000, "é", "' OR 1=1 --", "../../x", '"', "*", "W/", "0")
    readers = {
        "Idempotency-Key": ("record_conversation", "remember"),
        "If-Match": ("revise_memory",),
        "If-None-Match": ("tell_status",),
        "Accept": ("tell_status",),
        "Accept-Encoding": ("tell_status",),
    }
    for value in odd:
        for header, names in readers.items():
            for name in names:
                route = ROUTES_BY_NAME[name]
                arguments = build_example(route, _AnyId())
                answer = ann.send(route, arguments, **{header: value})
                assert answer.status_code < 500, (header, value, name, answer.text)
                served.check_tells_nothing(answer.text)


class _AnyId(dict[str, str]):
    """Ids of every kind, none of which is known."""

    def __missing__(self, kind: str) -> str:
        return f"no-{kind}"


def test_an_export_has_rows_of_its_tenant_alone(served: Served) -> None:
    tenants = Tenants(served)
    ben, _ = tenants.make_twins()
    ben.do("remember", content="Ben keeps bees.")
    route = ROUTES_BY_NAME["export_memory"]
    for arguments in ({}, {"workspace": tenants.ids["workspace"]}, {"workspace": "*"}):
        answer = ben.send(route, arguments)
        assert answer.status_code < 500
        served.check_tells_nothing(answer.text)
        for known in tenants.ids.values():
            assert arguments.get("workspace") == known or known not in answer.text
    assert "Ben keeps bees." in ben.send(route, {}).text
    assert "Quetzalcoatl" in tenants.ann.send(route, {}).text
