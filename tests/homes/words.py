"""Makes a home whose words are those of the code it is run with, before the analyser changes.

    python tests/homes/words.py FILE.zip

It is made without vectors. `test_words.py` looks at what a later version finds in it.
"""

import sys
import tempfile
import zipfile
from pathlib import Path

import anyio

import memoria
from memoria.config import Settings

SAID = [
    "Deploys are marked with 🚀 in the changelog",
    "Çınar apartmanının anahtarı Işık Beyde",
    "サーバーの再起動は金曜日",
    "کلید پیش یحیی است",
    "ADR-0167 settled the queue question",
    "The budget is 1,250,000 kroner",
    "Plain English has the words it always had",
]
ASKED = ["🚀", "Cinar", "さーばー", "يحيى", "adr0167", "1250000", "plain English words"]
"""What finds each of them."""
SPEAKER = "Işık"
REPEATED = "The spare key hangs at Çınar's"


async def _fill(home: Path) -> None:
    async with memoria.open(settings=Settings(home=home, embedder="off")) as m:
        turns = [{"role": "user", "content": said, "speaker": SPEAKER} for said in SAID]
        turns.append({"role": "assistant", "content": f"Noted. {REPEATED}."})
        await m.record_conversation(turns, session_id="words")
        for said in (*SAID, REPEATED):
            await m.remember(said)


def main(target: Path) -> None:
    """Write the home into a zip file."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        anyio.run(_fill, home)
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in sorted(home.rglob("*")):
                if path.is_file():
                    packed.write(path, path.relative_to(home))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
