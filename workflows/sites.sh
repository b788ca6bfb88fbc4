#!/bin/sh
# One mean face of several sites' people, nothing pooled, on one machine: every step is a process of its own and every message a file, as it
# would be between hospitals. Made-up people; compares the result with one study of all of them.
#
#   workflows/sites.sh [sites|aggregators|each] [PEOPLE] [MU] [DIR]
#
# MODES=5 asks for modes of variation with the mean. COMPARE=map (or test) compares groups: every second of the people is a patient, whose
# nose is made to stand out more. VISARD and MEASURE name the programs (default: as cargo builds them with --release, the second with
# --example measure). Needs Python 3 for the arithmetic.
set -eu
NOISE=${1:-sites} PEOPLE=${2:-200} MU=${3:-1} DIR=${4:-sites-example}
HERE=$(cd "$(dirname "$0")/.." && pwd)
VISARD=${VISARD:-$HERE/target/release/visard}
MEASURE=${MEASURE:-$HERE/target/release/examples/measure}
COMPARE=${COMPARE:-}
# Every second of a site's people is a patient, and so is every second of all.
if [ -n "$COMPARE" ] && [ $((PEOPLE % 2)) -ne 0 ]; then
  echo "COMPARE needs an even number of people" >&2
  exit 2
fi
SITES="amsterdam berlin lyon oslo porto"
mkdir -p "$DIR"
cd "$DIR"
[ -e all.npy ] || "$MEASURE" prepared_faces synthetic $((5 * PEOPLE)) all.npy

# Each site has its own people.
ALL=all${COMPARE:+-groups}
python3 - "$PEOPLE" "$ALL" "$COMPARE" $SITES <<'EOF'
import array, ast, math, struct, sys
people, all_, compare, names = int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4:]
def write(name, shape, data):
    text = repr({**head, "shape": shape})
    text = (text + " " * (-(len(text) + 11) % 64) + "\n").encode()
    with open(name + ".npy", "wb") as out:
        out.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + data.tobytes())
def table(name, n):
    with open(name + ".csv", "w") as out:
        out.write("record,group\n" + "".join(f"{i},{'patient' if i % 2 else 'control'}\n" for i in range(n)))
with open("all.npy", "rb") as f:
    f.read(8)
    head = ast.literal_eval(f.read(struct.unpack("<H", f.read(2))[0]).decode())
    n, *shape = head["shape"]
    data = array.array("d"); data.frombytes(f.read())
size = shape[0] * shape[1] * shape[2]
if compare:
    # Curves begin at the nose tip.
    for start in range(size, n * size, 2 * size):
        tip = data[start:start + 3]
        for k in range(start, start + size, 3):
            away = sum((data[k + c] - tip[c]) ** 2 for c in range(3))
            data[k + 2] += 0.02 * math.exp(-away / (2 * 0.12 ** 2))
    write(all_, (n, *shape), data)
    table(all_, n)
for i, name in enumerate(names):
    write(name, (people, *shape), data[i * people * size:(i + 1) * people * size])
    table(name, people)
EOF

NUMBER=$PEOPLE
[ -z "$COMPARE" ] || NUMBER=$(((PEOPLE + 1) / 2))+$((PEOPLE / 2))
# What aggregators have added up, their ledgers beside their keys say; here the people are made up, and all begins anew.
rm -rf public "$NOISE" received ./*.key.ledger.jsonl
mkdir received
set --
if [ "$NOISE" = each ]; then
    for site in $SITES; do set -- "$@" --site "$site=$NUMBER"; done
else
    for party in $SITES ministry registry; do [ -e $party.key ] || "$VISARD" site keys $party.key; done
    for site in $SITES; do set -- "$@" --site "$site=$NUMBER,$site.key.pub"; done
    set -- "$@" --aggregator ministry=ministry.key.pub --aggregator registry=registry.key.pub
fi
"$VISARD" site plan public --mu "$MU" --noise "$NOISE" ${MODES:+--modes "$MODES"} ${COMPARE:+--groups control,patient --want "$COMPARE"} "$@"

START=$(date +%s)
while [ ! -e "$NOISE/study/release/certificate.json" ]; do
    for site in $SITES; do
        if [ "$NOISE" = each ]; then
            "$VISARD" site sum public --site $site --prepared $site.npy ${COMPARE:+--groups $site.csv} --out "$NOISE/$site"
        else
            "$VISARD" site share public --site $site --key $site.key --prepared $site.npy ${COMPARE:+--groups $site.csv} --out "$NOISE/$site"
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
[ -z "$COMPARE" ] || WHAT="compare --groups $ALL.csv --want $COMPARE"
WHAT=${WHAT:-mean} ONE=central${MODES:+-modes}${COMPARE:+-$COMPARE}
# shellcheck disable=SC2086 # a word, and perhaps options
[ -e $ONE/release/certificate.json ] || "$VISARD" face $WHAT --prepared $ALL.npy --mu "$MU" --out $ONE
# shellcheck disable=SC2086
[ -e $ONE-fifth/release/certificate.json ] || "$VISARD" face $WHAT --prepared $ALL.npy --mu "$FIFTH" --out $ONE-fifth
[ "$COMPARE" != test ] || exit 0
python3 - "$ALL.npy" "$COMPARE" "$NOISE/study" $ONE $ONE-fifth <<'EOF'
import array, ast, struct, sys
def load(path):
    with open(path, "rb") as f:
        f.read(8)
        head = ast.literal_eval(f.read(struct.unpack("<H", f.read(2))[0]).decode())
        values = array.array("d"); values.frombytes(f.read())
    return head["shape"], values
(n, j, m, _), people = load(sys.argv[1])
size, compare = 3 * j * m, sys.argv[2]
def mean(first, step):
    return [sum(people[first * size + k::step * size]) / len(range(first, n, step)) for k in range(size)]
true = [b - a for a, b in zip(mean(0, 2), mean(1, 2))] if compare else mean(0, 1)
file, what = ("difference.npy", "difference") if compare else ("curves.npy", "mean")
off = lambda a, b: (sum((a - b) ** 2 for a, b in zip(a, b)) / (j * m)) ** 0.5
if compare:
    print(f"  no difference: {off(true, [0.0] * size):.6f}")
for study in sys.argv[3:]:
    _, found = load(study + "/release/" + file)
    print(f"  {study}: {off(found, true):.6f} of the root of the area from the {what} without noise")
EOF
