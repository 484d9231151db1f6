# What a host's first user would do. The trials of a wheel, a bundle and an image read this, and say before it is used how the command runs:
#   within SECONDS WORDS...  a function that runs `plimsoll WORDS...` for at most that long
#   outside, inside          an empty folder, by its name here and by the name that the command knows it by
trial_failed() { echo "error: $1" >&2; exit 1; }

try_core() { # what needs no extra
    within 60 --version
    within 120 io "$inside" --size 64m --rw randread --block 8k --depth 8 --runtime 1 --json >"$outside/io.json"
    grep -q '"ios": *[1-9]' "$outside/io.json" || trial_failed "nothing was measured"
    PYTHONPATH=python:tests .venv/bin/python -m reportgen "$outside/reports" --count 2 --rows 3 >/dev/null
    within 120 read "$inside/reports"
    status=0
    within 300 line "$inside" --slo p99=50ms --size 64m >"$outside/line.txt" || status=$?
    case $status in
    0 | 1 | 5) head -n 1 "$outside/line.txt" ;; # an answer: a line, none, or not to be told on this machine
    *) trial_failed "line ended with status $status" ;;
    esac
}

try_demo() { # what needs the extras `embedded` and `report`
    within 600 demo --folder "$inside" --out "$inside/demo.html"
    [ -s "$outside/demo.html" ] || trial_failed "demo wrote no page"
}
