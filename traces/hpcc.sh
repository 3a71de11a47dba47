#!/usr/bin/env bash
# Record parts of Debian's hpcc (HPC Challenge) as hpccN-PART.goal.gz in a folder; README.md says what they are.
# usage: traces/hpcc.sh RANKS [FOLDER]      RANKS: 4, 16, 64, 128 or 256
# Needs hpcc, openmpi-bin and `make recorder`. The ranks may be more than the cores.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
ranks=${1-}
folder=$(realpath "${2-.}")

# grid, order of the matrix (PTRANS transposes one of half of it), size of its blocks
case $ranks in
4) p=2 q=2 n=1000 nb=80 ;;
16) p=4 q=4 n=2000 nb=80 ;;
64) p=8 q=8 n=2000 nb=32 ;;
128) p=8 q=16 n=2000 nb=32 ;;
256) p=16 q=16 n=2000 nb=32 ;;
*)
    echo "usage: traces/hpcc.sh 4|16|64|128|256 [FOLDER]" >&2
    exit 2
    ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat >"$work/hpccinf.txt" <<END
input of hpcc: one problem, one grid

HPL.out
8
1
$n
1
$nb
0
1
$p
$q
16.0
1
1
1
4
1
2
1
1
1
1
1
1
2
64
0
0
1
8
0
0
0
0
END

# Places among the collectives of MPI_COMM_WORLD. PTRANS splits communicators, the first to do so; it runs five times the same, once
# is enough. The second barrier after the one gather (of STREAM) begins FFT: three transpositions forward, then back. The rings begin
# with a broadcast of all ranks' order: 8 x 31 for latency (natural, then 30 random ones), 3 x 11 for bandwidth.
order=Bcast/$((4 * ranks))
regions="ptrans=Comm_split#1..Comm_split#1;fft=Gather#1,Barrier#2..Alltoall#4"
regions="$regions;natring-lat=$order#1..$order#1;randring-lat=$order#1..$order#1"
regions="$regions;natring-bw=$order#247..$order#1;randring-bw=$order#1..$order#1"
quit=--quit
if [ "$ranks" = 4 ]; then
    # RandomAccess: its updates, between the second barrier and the third. HPL comes last.
    regions="randomaccess=Barrier#2..Barrier#1;$regions;hpl=Comm_split#1.."
    quit=
fi

# One thread per rank, and a rank that waits leaves its core to the others.
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
cd "$work"
mpirun --oversubscribe --mca mpi_yield_when_idle 1 --mca btl self,vader --mca btl_vader_single_copy_mechanism none \
    -np "$ranks" "$here/build/coppice-mpi" -o "hpcc$ranks-%.goal" --min-calc-ns 1000 --regions "$regions" $quit hpcc ||
    echo "mpirun ended with $?; traces that are whole are kept" >&2
for trace in *.goal; do
    "$here/recorder/tests/goal_check.py" "$trace"
    gzip -9n "$trace"
done
mkdir -p "$folder"
mv ./*.goal.gz "$folder"
