#!/bin/sh
# One mean face of several sites' people, nothing pooled, on one machine: every step is a process of its own and every message a file, as it
# would be between hospitals. Made-up people; compares the result with one study of all of them.
#
#   workflows/sites.sh [sites|aggregators|each] [PEOPLE] [MU] [DIR]
#
# MODES=5 asks for modes of variation with the mean. VISARD and PREPARED_FACES name the programs (default: as cargo builds them, with
# --example prepared_faces). Needs Python 3 for the arithmetic.
set -eu
NOISE=${1:-sites} PEOPLE=${2:-200} MU=${3:-1} DIR=${4:-sites-example}
HERE=$(cd "$(dirname "$0")/.." && pwd)
VISARD=${VISARD:-$HERE/target/release/visard}
PREPARED_FACES=${PREPARED_FACES:-$HERE/target/release/examples/prepared_faces}
SITES="amsterdam berlin lyon oslo porto"
mkdir -p "$DIR"
cd "$DIR"
[ -e all.npy ] || "$PREPARED_FACES" synthetic $((5 * PEOPLE)) all.npy

# Each site has its own people.
python3 - "$PEOPLE" $SITES <<'EOF'
import ast, struct, sys
people, names = int(sys.argv[1]), sys.argv[2:]
with open("all.npy", "rb") as f:
    f.read(8)
    head = ast.literal_eval(f.read(struct.unpack("<H", f.read(2))[0]).decode())
    n, *shape = head["shape"]
    row = 8 * shape[0] * shape[1] * shape[2]
    for name in names:
        text = repr({**head, "shape": (people, *shape)})
        text = (text + " " * (-(len(text) + 11) % 64) + "\n").encode()
        with open(name + ".npy", "wb") as out:
            out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + f.read(people * row))
EOF

rm -rf public "$NOISE" received
mkdir received
set --
if [ "$NOISE" = each ]; then
    for site in $SITES; do set -- "$@" --site "$site=$PEOPLE"; done
else
    for party in $SITES ministry registry; do [ -e $party.key ] || "$VISARD" site keys $party.key; done
    for site in $SITES; do set -- "$@" --site "$site=$PEOPLE,$site.key.pub"; done
    set -- "$@" --aggregator ministry=ministry.key.pub --aggregator registry=registry.key.pub
fi
"$VISARD" site plan public --mu "$MU" --noise "$NOISE" ${MODES:+--modes "$MODES"} "$@"

START=$(date +%s)
while [ ! -e "$NOISE/study/release/certificate.json" ]; do
    for site in $SITES; do
        if [ "$NOISE" = each ]; then
            "$VISARD" site sum public --site $site --prepared $site.npy --out "$NOISE/$site"
        else
            "$VISARD" site share public --site $site --key $site.key --prepared $site.npy --out "$NOISE/$site"
        fi
    done
    # Whatever transfer there is between hospitals: here, a copy.
    cp "$NOISE"/*/outbox/* received/
    if [ "$NOISE" = each ]; then
        "$VISARD" site merge public received --out "$NOISE/study"
    else
        for step in ministry registry ministry; do
            "$VISARD" site verify public --aggregator $step --key $step.key --inbox received --out "$NOISE/$step"
            cp "$NOISE/$step"/outbox/* received/
        done
        "$VISARD" site unshare public received --out "$NOISE/study"
    fi
done
echo "all rounds: $(($(date +%s) - START)) s; bytes a site hands on in the last round:"
ls -l "$NOISE"/amsterdam/outbox | awk 'NR > 1 {print "  " $5, $9}'
"$VISARD" privacy verify "$NOISE/study"

# In one place, at the same budget and at a fifth of its square.
FIFTH=$(python3 -c "print($MU / 5 ** 0.5)")
WHAT=${MODES:+modes --modes $MODES}
WHAT=${WHAT:-mean} ONE=central${MODES:+-modes}
# shellcheck disable=SC2086 # a word, and perhaps an option
[ -e $ONE/release/certificate.json ] || "$VISARD" face $WHAT --prepared all.npy --mu "$MU" --out $ONE
# shellcheck disable=SC2086
[ -e $ONE-fifth/release/certificate.json ] || "$VISARD" face $WHAT --prepared all.npy --mu "$FIFTH" --out $ONE-fifth
python3 - "$NOISE/study" $ONE $ONE-fifth <<'EOF'
import array, ast, struct, sys
def load(path):
    with open(path, "rb") as f:
        f.read(8)
        head = ast.literal_eval(f.read(struct.unpack("<H", f.read(2))[0]).decode())
        values = array.array("d"); values.frombytes(f.read())
    return head["shape"], values
(n, j, m, _), people = load("all.npy")
size = 3 * j * m
mean = [sum(people[k::size]) / n for k in range(size)]
for study in sys.argv[1:]:
    _, curves = load(study + "/release/curves.npy")
    rms = (sum((a - b) ** 2 for a, b in zip(curves, mean)) / (j * m)) ** 0.5
    print(f"  {study}: {rms:.6f} of the root of the area from the mean without noise")
EOF
