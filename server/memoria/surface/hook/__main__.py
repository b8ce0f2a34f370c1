"""Program that a client starts: `python -I -S .../surface/hook/__main__.py CLIENT [options]`.

It ends with 0 whatever happens, even if half of this package has just been replaced.
"""

import os
import sys

try:
    sys.path.insert(0, os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3)))
    from memoria.surface.hook.main import run

    run(sys.argv[1:])
except BaseException:  # noqa: BLE001  (whoever talks to an agent must never hear of a hook)
    os._exit(0)
