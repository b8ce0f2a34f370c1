"""Every way to read a tenant's rows, and what an eavesdropper would ask it with."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from tests.store.tenant_life import IMPORTED, MARK, MODEL, PROJECT, SAID, vector

from memoria.ingest.turn_draft import digest_opening
from memoria.language.reading.statement import fingerprint
from memoria.model import Entity, InferredBy, Node, Role
from memoria.model.events import BEGINNING
from memoria.model.moments import LocalDay
from memoria.model.nightly import NightlyRun
from memoria.store.engine import Store
from memoria.store.features import SESSION_BITS, Surroundings, TurnMetadataColumns, TurnPosition
from memoria.store.rows.grounds import GroundRow
from memoria.store.rows.listings import ListedMemories, ListedSpan, WalkPlace
from memoria.store.rows.portable.records import PORTABLE_KINDS, PortableSelection
from memoria.store.rows.tool_calls import CallRow
from memoria.store.rows.transaction import Transaction
from memoria.store.values import DocumentKind, ErasureFilter, Filters

EVERY = Filters(include_history=True)
EVER = 1 << 60
WHOLE_TIME = LocalDay(date(2026, 1, 1), 0, EVER)
BOTH: tuple[DocumentKind, ...] = ("turn", "memory")


@dataclass(frozen=True)
class Known:
    """What an eavesdropper may have learnt of a tenant: numbers, ids, fingerprints."""

    ns: tuple[int, ...]
    sessions: tuple[int, ...]
    turn_ids: tuple[str, ...]
    memory_ids: tuple[str, ...]
    fingerprints: tuple[bytes, ...]
    entry_ids: tuple[str, ...]
    entities: tuple[Entity, ...]
    nodes: tuple[int, ...]
    runs: tuple[NightlyRun, ...]


def known(store: Store, tenant: str) -> Known:
    with store.read(tenant) as tx:
        turns = tx.conversations.session_turns("s", 0, 1000)
        edited = next(turn for turn in turns if turn.message_id == "m")
        turns += tx.conversations.turn_versions(edited)
        memories = tx.memories.list_unverified(1000)
        bound = [row.memory_id for row in tx.grounds.list_of_project(PROJECT)]
        memories += [memory for memory in map(tx.memories.get, bound) if memory is not None]
        over = map(tx.memories.get, tx.episodes.list_over_turns([turn.n for turn in turns]))
        memories += [memory for memory in over if memory is not None]
        versions = [version.n for memory in memories for version in memory.versions]
        numbers = {turn.session_n for turn in turns}
        return Known(
            ns=tuple(sorted({*(turn.n for turn in turns), *versions})),
            sessions=tuple(numbers),
            turn_ids=tuple(turn.id for turn in turns),
            memory_ids=tuple(memory.id for memory in memories),
            fingerprints=tuple(tx.conversations.last_fingerprints(min(numbers), 1000)),
            entry_ids=tuple(entry.id for entry in tx.queue.list_entries(None, 1000)),
            entities=tuple(tx.graph.find_entities(["the port"], EVERY)),
            nodes=tuple(sorted(set(tx.graph.nodes_of_documents(range(1000)).values()))),
            runs=tuple(tx.nightly_runs.list_runs(10)),
        )


def edges_of(places: Iterable[tuple[int, int, int]]) -> list[str]:
    return [f"src={src} dst={dst}" for src, _, dst in places]


def list_surroundings(found: Surroundings) -> list[object]:
    rows = zip(found.ns.tolist(), found.places.tolist(), strict=True)
    told = [TurnPosition(n, *divmod(place, 1 << SESSION_BITS)) for n, place in rows]
    return [*told, *(f"said by {one}" for one in found.speakers)]


def list_speakers(remarks: TurnMetadataColumns) -> list[object]:
    told = zip(remarks.is_turn, remarks.ats.tolist(), remarks.speakers.tolist(), strict=True)
    return [f"said by {remarks.names[who]} at={at}" for is_turn, at, who in told if is_turn]


def list_grounds(rows: list[GroundRow]) -> list[str]:
    return [f"n={row.wording_n} {row}" for row in rows]


def list_calls(rows: list[CallRow]) -> list[str]:
    return [f"n={row.turn_n} {row}" for row in rows]


READS: dict[str, Callable[[Transaction, Known], object]] = {
    "accounts.find_last_index": lambda tx, them: [
        tx.accounts.find_last_index(n) + 1 for n in them.sessions
    ],
    "accounts.list_alike": lambda tx, them: [
        tx.accounts.list_alike(n, digest_opening(Role.USER, IMPORTED), 9) for n in them.sessions
    ],
    "attachments.list_of_messages": lambda tx, them: [
        f"n={n} " for n in tx.attachments.list_of_messages(them.ns)
    ],
    "attachments.list_old": lambda tx, _: [f"n={n} " for n in tx.attachments.list_old(EVER, 9)],
    "audit.list_by_action": lambda tx, _: tx.audit.list_by_action("remember", 100),
    "audit.list_latest": lambda tx, _: [
        (one.action, one.subject, one.detail) for one in tx.audit.list_latest(100, 0)
    ],
    "audit.list_entries": lambda tx, them: [tx.audit.list_entries(i) for i in them.memory_ids],
    "audit.list_subjects": lambda tx, _: tx.audit.list_subjects(0),
    "conversations.find_fingerprint": lambda tx, them: [
        tx.conversations.find_fingerprint(n, print_)
        for n in them.sessions
        for print_ in them.fingerprints
    ],
    "conversations.find_messages": lambda tx, them: [
        tx.conversations.find_messages(n, ["m"]) for n in them.sessions
    ],
    "conversations.find_turn": lambda tx, _: tx.conversations.find_turn("library", "s", "m"),
    "conversations.find_words_before": lambda tx, _: [
        tx.conversations.find_words_before(one, 0, EVER) for one in ("s", "s1", "s2")
    ],
    "conversations.first_fingerprints": lambda tx, _: [
        tx.conversations.first_fingerprints(n, 9) for n in range(1, 9)
    ],
    "conversations.last_fingerprints": lambda tx, them: [
        tx.conversations.last_fingerprints(n, 10) for n in them.sessions
    ],
    "conversations.list_calls_and_words": lambda tx, _: [
        f"n={n} " for n in tx.conversations.list_calls_and_words(PROJECT, 9)
    ],
    "conversations.list_passed_over": lambda tx, them: [
        f"n={n} " for n in tx.conversations.list_passed_over(them.ns)
    ],
    "conversations.list_positions": lambda tx, them: tx.conversations.list_positions(them.ns, 2),
    "conversations.list_segments": lambda tx, _: tx.conversations.list_segments("s"),
    "conversations.list_span": lambda tx, them: [
        tx.conversations.list_span(n, 0, 100) for n in them.sessions
    ],
    "conversations.count_unmarked": lambda tx, _: [tx.conversations.count_unmarked()],
    "conversations.list_unread": lambda tx, _: tx.conversations.list_unread(None, 100),
    "conversations.list_unread_of": lambda tx, them: [
        tx.conversations.list_unread_of(n, 0, 100) for n in them.sessions
    ],
    "conversations.list_unmarked": lambda tx, _: tx.conversations.list_unmarked(100),
    "conversations.list_turns_by_id": lambda tx, them: tx.conversations.list_turns_by_id(
        them.turn_ids
    ),
    "conversations.list_wishes": lambda tx, _: tx.conversations.list_wishes(100),
    "conversations.list_unqueued_segments": lambda tx, _: tx.conversations.list_unqueued_segments(
        100
    ),
    "conversations.list_user_speakers": lambda tx, _: [
        f"n={one.first_turn} " for one in tx.conversations.list_user_speakers()
    ],
    "conversations.neighbours": lambda tx, them: [
        tx.conversations.neighbours(n, 1, 5) for n in them.sessions
    ],
    "conversations.remarks": lambda tx, them: [
        (remark, remark.content) for remark in tx.conversations.remarks(them.ns).values()
    ],
    "conversations.session_size": lambda tx, _: tx.conversations.session_size("s"),
    "conversations.session_turns": lambda tx, _: tx.conversations.session_turns("s", 0, 100),
    "conversations.speaker_at": lambda tx, them: list(
        filter(None, (tx.conversations.speaker_at(n, at) for n in them.sessions for at in range(9)))
    ),
    "conversations.turn": lambda tx, them: [tx.conversations.turn(i) for i in them.turn_ids],
    "conversations.user_turns_beside": lambda tx, them: [
        turn
        for beside in tx.conversations.user_turns_beside(them.ns).values()
        for turn in filter(None, beside)
    ],
    "conversations.turns": lambda tx, them: tx.conversations.turns(them.ns),
    "core.disputes": lambda tx, _: tx.core.disputes(),
    "core.file_state": lambda tx, _: [tx.core.file_state("MEMORY.md").pending],
    "core.lines": lambda tx, _: tx.core.lines("MEMORY.md"),
    "core.memories": lambda tx, _: tx.core.memories(0),
    "core.next_end": lambda tx, _: tx.core.next_end(0),
    "core.present": lambda tx, _: tx.core.present(0, "a project", ["MEMORY.md"]),
    "core.projects": lambda tx, _: tx.core.projects(),
    "core.statuses": lambda tx, them: tx.core.statuses(them.memory_ids),
    "days.get_closed_session": lambda tx, them: [
        tx.days.get_closed_session(n) for n in them.sessions
    ],
    "days.list_closed_sessions": lambda tx, _: [
        (session.session_id, session.stamp) for session in tx.days.list_closed_sessions(0, 0, 100)
    ],
    "days.list_episode_ends": lambda tx, them: tx.days.list_episode_ends(them.ns),
    "days.next_activity_at": lambda tx, _: tx.days.next_activity_at(0),
    "days.notes": lambda tx, _: list(
        tx.days.notes(LocalDay(date(1970, 1, 1), 0, 2**53)).model_dump().values()
    ),
    "dependencies.list_dependents": lambda tx, them: tx.dependencies.list_dependents(
        them.memory_ids, them.ns
    ),
    "dependencies.list_existing": lambda tx, them: tx.dependencies.list_existing(
        [*them.memory_ids, *them.turn_ids, *them.entry_ids]
    ),
    "dependencies.list_planned_items": lambda tx, _: tx.dependencies.list_planned_items(),
    "dependencies.list_unsupported_wordings": lambda tx, them: list(
        tx.dependencies.list_unsupported_wordings(them.ns).values()
    ),
    "derivations.entities": lambda tx, _: [
        f"node={n}" for _, n in tx.derivations.entities(range(100))
    ],
    "derivations.list_candidates": lambda tx, _: [
        f"n={one.wording} {one.id}" for one in tx.derivations.list_candidates(0, 100)
    ],
    "derivations.list_changed": lambda tx, them: tx.derivations.list_changed(them.memory_ids),
    "derivations.list_changed_in": lambda tx, them: [
        each for n in them.sessions for each in tx.derivations.list_changed_in(n, 0, 100)
    ],
    "derivations.list_derived": lambda tx, _: tx.derivations.list_derived(0, 100),
    "derivations.occasions": lambda tx, _: tx.derivations.occasions(range(100)),
    "derivations.similar_pairs": lambda tx, _: tx.derivations.similar_pairs(range(100)),
    "derivations.sources": lambda tx, them: tx.derivations.sources(them.memory_ids),
    "derivations.user_statement_times": lambda tx, _: tx.derivations.user_statement_times(
        range(100)
    ),
    "grounds.list_of_memories": lambda tx, them: list_grounds(
        tx.grounds.list_of_memories(them.memory_ids)
    ),
    "grounds.list_of_project": lambda tx, _: list_grounds(tx.grounds.list_of_project(PROJECT)),
    "grounds.list_turns_before": lambda tx, them: [
        f"n={n} " for own in them.ns for n in tx.grounds.list_turns_before(own, 9)
    ],
    "grounds.list_unbound": lambda tx, _: [
        f"n={one.n} {one.turn_n}" for one in tx.grounds.list_unbound(PROJECT, 9)
    ],
    "documents.awaiting_vectors": lambda tx, them: tx.documents.awaiting_vectors(them.ns),
    "documents.count_hidden": lambda tx, _: tx.documents.count_hidden(BOTH, ["port"], EVERY),
    "documents.distinct_words": lambda tx, them: tx.documents.distinct_words(them.ns),
    "documents.find_words": lambda tx, _: tx.documents.find_words(BOTH, ["po"], str.isalpha, EVERY),
    "documents.frequencies": lambda tx, _: list(
        tx.documents.frequencies(BOTH, ["port"], EVERY).by_term.values()
    ),
    "documents.index_tokens": lambda tx, them: tx.documents.index_tokens(them.ns, 10_000),
    "documents.list_containing": lambda tx, _: [
        tx.documents.list_containing(kind, ["port"]) for kind in BOTH
    ],
    "documents.list_elsewhere": lambda tx, _: tx.documents.list_elsewhere(
        BOTH, [["port"]], Filters(include_history=True), 9
    ),
    "documents.keep_passing": lambda tx, them: [
        f"n={n} " for n in tx.documents.keep_passing(BOTH, them.ns, EVERY)
    ],
    "documents.match": lambda tx, _: tx.documents.match(BOTH, ["port"], EVERY, 100),
    "documents.nearest": lambda tx, _: [
        tx.documents.nearest(kind, MODEL, vector("the port"), Filters(), 100) for kind in BOTH
    ],
    "documents.vectors": lambda tx, them: tx.documents.vectors(them.ns, MODEL),
    "documents.nearest_passages": lambda tx, them: tx.documents.nearest_passages(
        them.ns, MODEL, vector("the port")
    ),
    "documents.page": lambda tx, _: [tx.documents.page(kind, 0, 100) for kind in BOTH],
    "documents.recent": lambda tx, _: tx.documents.recent(BOTH, EVERY, 100),
    "episodes.find": lambda tx, them: [tx.episodes.find(n, 0, 3) for n in them.sessions],
    "episodes.list_covering": lambda tx, them: [
        one for n in them.sessions for one in tx.episodes.list_covering(n, 1, 2)
    ],
    "episodes.list_within": lambda tx, them: [
        one for n in them.sessions for one in tx.episodes.list_within(n, 0, 9)
    ],
    "episodes.get_span": lambda tx, them: [tx.episodes.get_span(i) for i in them.memory_ids],
    "episodes.list_active": lambda tx, _: tx.episodes.list_active(0, 100),
    "episodes.list_newest": lambda tx, them: [
        f"{session=} n={n}" for session, n in tx.episodes.list_newest(them.sessions)
    ],
    "episodes.list_over_turns": lambda tx, them: tx.episodes.list_over_turns(them.ns),
    "episodes.list_turns": lambda tx, them: [
        f"n={n}" for _, n in tx.episodes.list_turns(them.memory_ids)
    ],
    "episodes.list_read_before": lambda tx, them: tx.episodes.list_read_before(
        dict.fromkeys(them.memory_ids, 1 << 60)
    ),
    "episodes.list_recent": lambda tx, _: tx.episodes.list_recent(0, None, 9),
    "erasures.count_all_rows": lambda tx, _: [*tx.erasures.count_all_rows().values()],
    "erasures.count_rows": lambda tx, them: [
        *tx.erasures.count_rows(tx.erasures.find_scope(them.memory_ids, [], [])).values()
    ],
    "erasures.find_scope": lambda tx, them: [
        *tx.erasures.find_scope(them.memory_ids, [], them.ns).memories
    ],
    "erasures.get_holdings": lambda tx, _: [*tx.erasures.get_holdings()],
    "erasures.get_report": lambda tx, _: [
        one.by for who in ("ann", "bob") if (one := tx.erasures.get_report(f"{who}'s"))
    ],
    "erasures.iterate_messages": lambda tx, _: [
        f"n={n} {turn_id}" for n, turn_id, _ in tx.erasures.iterate_messages()
    ],
    "erasures.iterate_wordings": lambda tx, _: [*tx.erasures.iterate_wordings()],
    "erasures.list_about": lambda tx, _: tx.erasures.list_about("the port", "the port"),
    "erasures.list_all_reports": lambda tx, _: [one.by for one in tx.erasures.list_all_reports()],
    "erasures.list_core_marks": lambda tx, them: tx.erasures.list_core_marks(them.memory_ids),
    "erasures.list_memory_metadata": lambda tx, _: [*tx.erasures.list_memory_metadata()],
    "erasures.list_turn_metadata": lambda tx, _: [
        f"n={n} {metadata}" for n, metadata in tx.erasures.list_turn_metadata()
    ],
    "erasures.list_memories": lambda tx, _: tx.erasures.list_memories(ErasureFilter()),
    "erasures.list_reports": lambda tx, _: [one.by for one in tx.erasures.list_reports(9)],
    "erasures.list_turns": lambda tx, _: [
        f"n={n}" for n in tx.erasures.list_turns(ErasureFilter())
    ],
    "file_records.all": lambda tx, _: tx.file_records.all(),
    "file_records.get": lambda tx, _: tx.file_records.get("a.md"),
    "graph.list_evidence_to_transfer": lambda tx, _: edges_of(
        place for place, _ in tx.graph.list_evidence_to_transfer()
    ),
    "graph.by_name": lambda tx, _: tx.graph.by_name(["the port"], EVERY),
    "graph.by_prefix": lambda tx, _: tx.graph.by_prefix("the p", EVERY, 100),
    "graph.documents_of_nodes": lambda tx, them: [
        f"n={n}" for n in tx.graph.documents_of_nodes(them.nodes).values()
    ],
    "graph.find_entities": lambda tx, _: tx.graph.find_entities(["the port", "PORT"], EVERY),
    "graph.get_entity": lambda tx, them: [
        tx.graph.get_entity(one.id, EVERY) for one in them.entities
    ],
    "graph.high_degree": lambda tx, them: [
        f"node={n}" for n in tx.graph.high_degree(them.nodes, 0)
    ],
    "graph.links_inferred_by": lambda tx, them: [
        tx.graph.links_inferred_by(i) == "model" or tx.graph.list_edges(Node("memory", i), EVERY)
        for i in them.memory_ids
    ],
    "graph.list_by_name": lambda tx, _: tx.graph.list_by_name("", None, EVERY, 100)[0],
    "graph.list_edges": lambda tx, them: [
        tx.graph.list_edges(node, EVERY)
        for node in (
            *(Node("memory", i) for i in them.memory_ids),
            *(Node("turn", i) for i in them.turn_ids),
            *(Node("entity", one.id) for one in them.entities),
        )
    ],
    "graph.list_entities": lambda tx, them: tx.graph.list_entities(
        [one.id for one in them.entities], EVERY
    ),
    "graph.name_entities": lambda tx, them: tx.graph.name_entities(
        [one.node for one in them.entities], EVERY
    ),
    "graph.list_links": lambda tx, them: [
        tx.graph.list_links(one, them.memory_ids, EVERY, 100) for one in them.entities
    ],
    "graph.list_naming": lambda tx, them: [
        node for own in tx.graph.list_naming(them.entities, EVERY, 9).values() for node in own
    ],
    "graph.list_joined": lambda tx, them: [tx.graph.list_joined(one.id) for one in them.entities],
    "graph.list_same_named": lambda tx, _: tx.graph.list_same_named(9),
    "graph.neighbours": lambda tx, them: [
        f"node={n}" for others in tx.graph.neighbours(them.nodes, EVERY).values() for n in others
    ],
    "graph.nodes_of_documents": lambda tx, them: [
        f"n={n}" for n in tx.graph.nodes_of_documents(them.ns)
    ],
    "graph.predecessor": lambda tx, them: [tx.graph.predecessor(i) for i in them.memory_ids],
    "hidden.list_due": lambda tx, _: tx.hidden.list_due(1 << 60),
    "hidden.list_files": lambda tx, _: [
        one.place for who in ("ann", "bob") for one in tx.hidden.list_files(f"{who}'s")
    ],
    "ledger.list_days": lambda tx, _: [one.calls for one in tx.ledger.list_days(0)],
    "ledger.newest": lambda tx, _: tx.ledger.newest(),
    "ledger.reading_price": lambda tx, _: tx.ledger.reading_price(0).calls,
    "ledger.spending": lambda tx, _: tx.ledger.spending(0, 1 << 60).calls,
    "listings.describe": lambda tx, them: list(tx.listings.describe(them.sessions).values()),
    "listings.list_held": lambda tx, _: [
        f"session={one.n}"
        for one in tx.listings.list_held([WHOLE_TIME], ListedSpan(0, 9, everywhere=True)).sessions
    ],
    "listings.list_memories": lambda tx, _: (
        tx.listings.list_memories(ListedMemories(), ListedSpan(0, 100, everywhere=True)).items
    ),
    "listings.list_sessions": lambda tx, _: (
        tx.listings.list_sessions(None, ListedSpan(0, 100, everywhere=True)).items
    ),
    "listings.walk_memories": lambda tx, them: [
        tx.listings.walk_memories(
            ListedMemories(), ListedSpan(0, 100, everywhere=True), after
        ).items
        for after in (None, *(WalkPlace(EVER, one) for one in them.memory_ids))
    ],
    "memories.by_version_numbers": lambda tx, them: tx.memories.by_version_numbers(them.ns),
    "memories.find_by_fingerprint": lambda tx, _: [
        tx.memories.find_by_fingerprint(fingerprint(text)) for text in SAID
    ],
    "memories.get": lambda tx, them: [tx.memories.get(i) for i in them.memory_ids],
    "memories.list_about": lambda tx, _: tx.memories.list_about("user"),
    "memories.list_awaiting_turns": lambda tx, them: [
        f"n={n} " for n in tx.memories.list_awaiting_turns(them.ns)
    ],
    "memories.list_by_turns": lambda tx, them: [
        f"{turn=} n={n}" for turn, n in tx.memories.list_by_turns(them.ns, 100)
    ],
    "memories.list_concluded_from": lambda tx, them: tx.memories.list_concluded_from(
        them.ns, InferredBy.MODEL
    ),
    "memories.list_concluded_turns": lambda tx, them: [
        f"n={n} " for n in tx.memories.list_concluded_turns(them.ns)
    ],
    "memories.list_contradictions": lambda tx, them: tx.memories.list_contradictions(
        them.memory_ids
    ),
    "memories.list_evidence": lambda tx, them: [
        tx.memories.list_evidence(i) for i in them.memory_ids
    ],
    "memories.list_of_property": lambda tx, _: tx.memories.list_of_property("user", "port"),
    "memories.list_repeated_in": lambda tx, them: tx.memories.list_repeated_in(them.ns),
    "memories.list_spoken_for": lambda tx, them: [
        f"n={n} " for n in tx.memories.list_spoken_for(them.ns)
    ],
    "memories.list_stated_in": lambda tx, them: tx.memories.list_stated_in(them.ns),
    "memories.list_successors": lambda tx, them: [
        one.present for one in tx.memories.list_successors(them.ns, EVERY)
    ],
    "memories.list_unverified": lambda tx, _: tx.memories.list_unverified(100),
    "metrics.count_archived": lambda tx, _: list(tx.metrics.count_archived()),
    "metrics.count_links": lambda tx, _: list(tx.metrics.count_links()),
    "metrics.sample_wordings": lambda tx, _: [f"n={n} " for n in tx.metrics.sample_wordings(100)],
    "nightly_runs.count_tokens": lambda tx, them: [
        tx.nightly_runs.count_tokens(run) for run in them.runs
    ],
    "nightly_runs.find_run": lambda tx, them: [
        tx.nightly_runs.find_run(run.id) for run in them.runs
    ],
    "nightly_runs.list_runs": lambda tx, _: [run.id for run in tx.nightly_runs.list_runs(100)],
    "nightly_runs.next_items": lambda tx, them: [
        tx.nightly_runs.next_items(run, 0, 9) for run in them.runs
    ],
    "nightly_runs.open_run": lambda tx, _: [run.id for run in [tx.nightly_runs.open_run()] if run],
    "pairs.has_changes": lambda tx, _: tx.pairs.has_changes(0),
    "pairs.list_distinct": lambda tx, them: [f"n={n} " for _, n in tx.pairs.list_distinct(them.ns)],
    "pairs.list_merged_into": lambda tx, them: [
        tx.pairs.list_merged_into(i) for i in them.memory_ids
    ],
    "pairs.list_similar": lambda tx, _: [
        f"n={n} " for pair in tx.pairs.list_similar(None, (0, 0), 0.5, 100) for n in pair[1:3]
    ],
    "pairs.list_successions": lambda tx, them: tx.pairs.list_successions(them.memory_ids),
    "pairs.list_wordings": lambda tx, _: tx.pairs.list_wordings(0, 0, 100),
    "pairs.merge_targets": lambda tx, them: [*tx.pairs.merge_targets(them.memory_ids).items()],
    "portable.count": lambda tx, _: [
        tx.portable.count(kind, PortableSelection()) for kind in PORTABLE_KINDS
    ],
    "portable.read": lambda tx, _: [
        [*tx.portable.read(kind, PortableSelection())] for kind in PORTABLE_KINDS
    ],
    "outbox.newest": lambda tx, _: tx.outbox.newest().seq,
    "outbox.read": lambda tx, _: [one.data for one in tx.outbox.read(BEGINNING, 10_000).events],
    "outbox.read_latest": lambda tx, _: [one.data for one in tx.outbox.read_latest(10_000).events],
    "tokens.all": lambda tx, _: [*tx.tokens.all()],
    "webhooks.all": lambda tx, _: [one.webhook.id for one in tx.webhooks.all()],
    "webhooks.find": lambda tx, _: [
        found.webhook.id
        for one in ("ann", "bob")
        if (found := tx.webhooks.find(f"webhook of {one}"))
    ],
    "tokens.find": lambda tx, _: [
        found for one in ("ann", "ben") if (found := tx.tokens.find(f"token of {one}"))
    ],
    "private_times.all": lambda tx, _: [*tx.private_times.all()],
    "private_times.applying": lambda tx, _: [
        *tx.private_times.applying("a project", "library", "s")
    ],
    "projects.find_name": lambda tx, _: [tx.projects.find_name(n) for n in range(9)],
    "projects.list_held": lambda tx, _: tx.projects.list_held(),
    "projects.list_names": lambda tx, _: tx.projects.list_names(),
    "projects.list_used": lambda tx, _: tx.projects.list_used(),
    "purge.list_archived": lambda tx, _: tx.purge.list_archived(2**53, 100),
    "purge.list_short_lived": lambda tx, _: tx.purge.list_short_lived(2**53, 100),
    "queue.find_summary": lambda tx, them: [
        found
        for n in them.sessions
        for i in range(5)
        for j in range(40)
        if (found := tx.queue.find_summary(n, i, j)) is not None
    ],
    "queue.get_entry": lambda tx, them: [tx.queue.get_entry(i) for i in them.entry_ids],
    "queue.list_entries": lambda tx, _: tx.queue.list_entries(None, 100),
    "queue.list_over_turns": lambda tx, them: tx.queue.list_over_turns(them.ns),
    "queue.list_resting": lambda tx, them: [tx.queue.list_resting(n, -1) for n in them.sessions],
    "queue.has_done": lambda tx, _: tx.queue.has_done(),
    "queue.status": lambda tx, _: tx.queue.status().waiting,
    "retention.get_attributes": lambda tx, them: [
        tx.retention.get_attributes(i) for i in them.memory_ids
    ],
    "retention.get_support": lambda tx, them: [
        tx.retention.get_support(i).theme for i in them.memory_ids
    ],
    "retention.list_attributes": lambda tx, _: tx.retention.list_attributes(0, 100),
    "retention.list_rule_made": lambda tx, _: tx.retention.list_rule_made(0, 100),
    "retention.list_expired": lambda tx, _: tx.retention.list_expired(1, 0, 100),
    "scratchpads.get": lambda tx, _: tx.scratchpads.get("s"),
    "scratchpads.find_in_hand": lambda tx, _: [tx.scratchpads.find_in_hand("s", None)],
    "scratchpads.list_later_sessions": lambda tx, _: tx.scratchpads.list_later_sessions(
        "early", 100
    ),
    "scratchpads.list_notes": lambda tx, _: tx.scratchpads.list_notes(),
    "scratchpads.list_recent": lambda tx, _: tx.scratchpads.list_recent(100),
    "short_ids.list_alike": lambda tx, them: tx.short_ids.list_alike(them.memory_ids),
    "short_ids.list_entities": lambda tx, them: [
        tx.short_ids.list_entities(one.id) for one in them.entities
    ],
    "short_ids.list_forgotten": lambda tx, _: tx.short_ids.list_forgotten("ann's"),
    "short_ids.list_sessions": lambda tx, _: tx.short_ids.list_sessions("s", 9),
    "tasks.list_names": lambda tx, _: tx.tasks.list_names(),
    "tombstones.all": lambda tx, _: tx.tombstones.all(),
    "tombstones.any": lambda tx, _: tx.tombstones.any(),
    "tombstones.find": lambda tx, _: tx.tombstones.find([MARK], "memory"),
    "tombstones.find_anchored": lambda tx, _: tx.tombstones.find_anchored([f"w{MARK}"]),
    "tombstones.find_by_meaning": lambda tx, _: tx.tombstones.find_by_meaning(MODEL, vector(MARK)),
    "tombstones.find_hiding": lambda tx, _: tx.tombstones.find_hiding("ann's", 0),
    "tombstones.get": lambda tx, _: tx.tombstones.get("ann's"),
    "tombstones.has_meanings": lambda tx, _: tx.tombstones.has_meanings(),
    "tombstones.has_older": lambda tx, _: tx.tombstones.has_older(),
    "tool_calls.list_below": lambda tx, _: list_calls(tx.tool_calls.list_below("port", 100)),
    "tool_calls.list_following": lambda tx, them: [
        list_calls(tx.tool_calls.list_following(n, 9)) for n in them.ns
    ],
    "tool_calls.list_holding": lambda tx, _: list_calls(tx.tool_calls.list_holding("cat", 100)),
    "tool_calls.list_keys": lambda tx, _: tx.tool_calls.list_keys("file", 100),
    "tool_calls.list_of_keys": lambda tx, _: list_calls(
        tx.tool_calls.list_of_keys("file", ["port.txt"], 100)
    ),
    "tool_calls.list_runs": lambda tx, _: list(tx.tool_calls.list_runs()),
    "tool_calls.list_of_turns": lambda tx, them: list_calls(tx.tool_calls.list_of_turns(them.ns)),
    "transcripts.get": lambda tx, _: tx.transcripts.get("library", "/t.jsonl"),
    "transcripts.list_live_sessions": lambda tx, _: tx.transcripts.list_live_sessions(
        "library", None, 1
    ),
    "transcripts.list_held": lambda tx, _: tx.transcripts.list_held("library", "/", "0", 1),
    "transcripts.list_recent": lambda tx, _: tx.transcripts.list_recent(1, 9),
    "turn_columns.remarks": lambda tx, them: list_speakers(tx.turn_columns.remarks(them.ns)),
    "turn_columns.sayings": lambda tx, them: [
        words
        for words in tx.turn_columns.sayings(them.ns, with_wishes=True).words.tolist()
        if words
    ],
    "turn_columns.surroundings": lambda tx, them: list_surroundings(
        tx.turn_columns.surroundings(them.ns, (), include_processed=True)
    ),
    "waiting.count_contradicted": lambda tx, _: [tx.waiting.count_contradicted(EVERY)],
    "waiting.count_pending": lambda tx, _: [tx.waiting.count_pending(EVERY)],
    "waiting.list_by_id": lambda tx, them: tx.waiting.list_by_id(them.memory_ids),
    "waiting.list_contradicted": lambda tx, _: tx.waiting.list_contradicted(100),
    "waiting.list_pending": lambda tx, _: tx.waiting.list_pending(100),
}
