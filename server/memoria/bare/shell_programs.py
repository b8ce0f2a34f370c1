"""What is known of programs in shell lines: what they wrap, and which words name what they do."""

TRIVIAL = frozenset(
    "cd echo printf true false : sleep export set unset source . exit wait pwd clear pushd popd"
    " alias ulimit umask date".split()
)
"""Commands that are told only where a line has no other."""
LOOPS = frozenset("for done while until if fi case esac function select".split())
"""Words of the shell around commands."""
FEEDERS = frozenset("echo printf yes cat true :".split())
"""Programs before a pipe that only feed the next."""
SHELLS = frozenset("bash sh zsh dash ash fish pwsh powershell".split())
SILENT_WRAPPERS = {
    "time": 0,
    "timeout": 1,
    "gtimeout": 1,
    "nohup": 0,
    "nice": 0,
    "ionice": 0,
    "stdbuf": 0,
    "command": 0,
    "exec": 0,
    "builtin": 0,
    "script": 0,
    "winpty": 0,
    "unbuffer": 0,
}
"""Wrappers that change nothing in what is run, with their number of arguments."""
RUNNERS = frozenset(
    "sudo|doas|npx|bunx|pnpx|uvx|pipx run|uv run|uv tool run|poetry run|pipenv run|pdm run|"
    "hatch run|rye run|conda run|mamba run|pnpm exec|pnpm dlx|npm exec|yarn exec|yarn dlx|"
    "bundle exec|mise exec|asdf exec|direnv exec|dotenv|dotenvx run|cross-env|env|xvfb-run|"
    "rbenv exec|pyenv exec|nix develop".split("|")
)
"""Programs that run another one in an environment: what works may hang on them."""
VALUE_FLAGS = {
    "": "-C --prefix --cwd --directory --project --package -p --filter -F --workspace -w"
    " --manifest-path",
    "git": "-C -c --git-dir --work-tree",
    "docker": "-H --host --context -f --file -p --project-name --env-file --profile",
    "kubectl": "-n --namespace --context --kubeconfig",
    "helm": "-n --namespace --kube-context",
    "make": "-C -f --directory --file",
    "sudo": "-u -g -p -C",
    "timeout": "-s --signal -k --kill-after",
    "nice": "-n",
    "ionice": "-c -n",
    "stdbuf": "-i -o -e",
    "env": "-u -C",
    "npx": "-p --package -c",
    "uv": "--with --python -p --project --directory --extra --group --env-file --package",
    "conda": "-n -p --name",
    "dotenv": "-f -e",
    "xvfb-run": "-s -n",
    "nix": "-c --command",
    "python": "-W -X",
    "node": "-r --require --import --loader --env-file",
    "gh": "-R --repo",
    "mvn": "-pl --projects -P -f -s -rf -T",
    "celery": "-A --app -b --broker",
    "adb": "-s -t -H -P",
    "aws": "--profile --region",
    "terraform": "-chdir",
    "psql": "-U -h -d -p -c -f",
}
"""Flags before a subcommand that take the next word."""
PLACE_FLAGS = frozenset(
    "-C --prefix --cwd --directory --project --package --filter -F --workspace -w --manifest-path"
    " -chdir".split()
)
"""Flags that say in which part of a project a command runs."""
FOLDER_FLAGS = PLACE_FLAGS - {*"--filter -F -p -w --package --project --workspace".split()}
"""Those of them that say so to every program; others select tests, ports and much else."""
MANAGERS = frozenset("npm pnpm yarn bun cargo uv poetry turbo nx lerna rush moon swift".split())
"""Programs that know the parts of a project."""
NO_SUBCOMMANDS = frozenset(
    "cd pushd ls cat grep rg ag egrep fgrep find sed awk head tail wc sort uniq cut tr xargs tee"
    " mkdir rm rmdir cp mv ln touch chmod chown test [ [[ diff cmp curl wget httpie http which type"
    " file stat du df ps kill pkill pgrep killall lsof netstat ss ping ssh scp rsync tar zip unzip"
    " gzip jq yq psql mysql sqlite3 redis-cli mongosh pytest py.test mypy black isort flake8 pylint"
    " eslint prettier tsc ts-node tsx jest vitest mocha rspec rubocop gcc g++ clang clang++ cc ld"
    " javac java rustc gofmt golangci-lint shellcheck tree env man less more vi vim nano code open"
    " cmake ctest ninja meson autoconf seq node sha256sum md5sum base64 nc telnet tox nosetests"
    " godot perl lua Rscript protoc dig nslookup ab hey wrk ffmpeg convert gdb lldb valgrind"
    " strace".split()
)
"""Programs whose first argument is what they work on, and no subcommand."""
DEPTHS = {
    "docker compose": 2,
    "docker": 1,
    "docker container": 2,
    "docker image": 2,
    "docker volume": 2,
    "docker network": 2,
    "docker buildx": 2,
    "git stash": 2,
    "git remote": 2,
    "git submodule": 2,
    "git worktree": 2,
    "git bisect": 2,
    "gh": 2,
    "aws": 2,
    "gcloud": 3,
    "az": 2,
    "kubectl rollout": 2,
    "kubectl config": 2,
    "uv pip": 2,
    "uv tool": 2,
    "prisma migrate": 2,
    "prisma db": 2,
    "supabase db": 2,
    "dotnet ef": 3,
    "dotnet tool": 2,
    "cargo sqlx": 2,
    "terraform state": 2,
    "fly": 2,
    "flyctl": 2,
    "heroku": 1,
    "systemctl": 1,
    "brew services": 2,
    "zig build": 2,
    "yarn workspace": 3,
    "mise run": 2,
    "task": 1,
    "just": 1,
    "nx run": 2,
    "turbo run": 2,
    "go mod": 2,
    "go tool": 2,
    "rustup target": 2,
    "rustup component": 2,
    "sqlx migrate": 2,
    "sqlx database": 2,
    "diesel migration": 2,
    "rails": 1,
    "sail": 2,
    "artisan": 1,
}
"""Numbers of words that name what a program does, where it is not one."""
SCRIPT_RUNNERS = frozenset("npm pnpm yarn bun".split())
