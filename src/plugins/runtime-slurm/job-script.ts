// The batch script of a session's job. Slurm ends everything that a step leaves behind when the step is over, so hosts are
// started by the job itself: a step leaves a request in a directory, and the job runs it. No secret is ever part of it.
import { quoteForShell } from '../../core/text/command-line.ts'

/** Where a session's files are, on the node's own disk: sockets do not work on every network file system. */
export function jobDirectory(base: string, spawnId: string): string {
  return `${base.replace(/(?<!\/)\/+$/, '')}/ao-job-${spawnId}`
}

export const EXIT_NO_DIRECTORY = 71
export const EXIT_UNUSED = 72

/** A job in which no host was ever started is not needed: its creator died. */
const UNUSED_S = 600
/** Below Slurm's KillWait, which is 30 seconds unless configured. */
const GRACE_S = 20

export function jobScript(base: string, spawnId: string): string {
  return `#!/bin/sh
umask 077
d=${quoteForShell(jobDirectory(base, spawnId))}
mkdir "$d" && mkdir "$d/run" && mkfifo "$d/go" || exit ${EXIT_NO_DIRECTORY}
( exec 3<>"$d/go"
  while read -r f <&3; do ( sh "$d/run/$f" </dev/null >"$d/run/$f.log" 2>&1; echo $? >"$d/run/$f.end" ) & done ) &
reader=$!
hosts() { for p in "$d"/run/*.pid; do [ -s "$p" ] && kill -0 "$(cat "$p")" 2>/dev/null && cat "$p"; done; }
finish() {
  trap '' TERM INT
  for p in $(hosts); do kill -TERM "$p" 2>/dev/null; done
  i=0; while [ -n "$(hosts)" ] && [ $i -lt ${GRACE_S}0 ]; do sleep 0.1 2>/dev/null || sleep 1; i=$((i+1)); done
  for e in $(grep -lsF ${quoteForShell(`AO_SPAWN_ID=${spawnId}`)} /proc/[0-9]*/environ); do
    e=\${e#/proc/}; kill -KILL "\${e%/environ}" 2>/dev/null
  done
  kill -KILL $reader 2>/dev/null
  rm -rf "$d"
  exit "$1"
}
trap 'finish 0' TERM INT
waited=0
while :; do
  sleep 2 & wait $!
  # A host that ended by itself was told to; one that was killed will be started again, to save the work.
  for f in "$d"/run/*.end; do [ -s "$f" ] && [ "$(cat "$f")" = 0 ] && finish 0; done
  [ -n "$(ls "$d/run")" ] || { waited=$((waited+2)); [ $waited -lt ${UNUSED_S} ] || finish ${EXIT_UNUSED}; }
done
`
}

/** In a step of the job. `$1`: the job's directory. The rest: argv to run. It lasts as long as the program, or whoever asks for it. */
export const LAUNCH = `j=$1; shift; i=0
while [ ! -p "$j/go" ]; do i=$((i+1)); [ $i -lt 100 ] || { echo "the job's own script does not run" >&2; exit 1; }; sleep 0.1 2>/dev/null || sleep 1; done
f=$(mktemp "$j/run/XXXXXXXX") || exit 1
{ printf 'echo $$ >"$0.pid"; exec'
  for a; do printf " '%s'" "$(printf %s "$a" | sed "s/'/'\\\\\\\\''/g")"; done; echo; } >"$f" && echo "\${f##*/}" >"$j/go" || exit 1
while [ ! -e "$f.end" ]; do kill -0 $PPID 2>/dev/null || exit 0; sleep 0.2 2>/dev/null || sleep 1; done
cat "$f.log"; exit 1`
