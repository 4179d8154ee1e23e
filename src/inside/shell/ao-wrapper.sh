# What the wrappers share: finding the real tool, and running it so that the caller notices no difference.
# Sourced by `gh` and `git`. Not for people.

# Sets `real` to the first program of this name on PATH that is not a wrapper of ao, or ends with 127.
# The wrapper's directory may be on PATH several times, under other names, or belong to another home.
ao_find_real() {
  local rest=$PATH: directory first second
  while [ -n "$rest" ]; do
    directory=${rest%%:*}
    rest=${rest#*:}
    real=${directory:-.}/$1
    if [ -f "$real" ] && [ -x "$real" ]; then
      first='' second=''
      { IFS= read -r -n 80 first && IFS= read -r -n 80 second; } <"$real" 2>/dev/null
      case $second in '# ao-wrapper '*) ;; *) return ;; esac
    fi
  done
  printf 'ao: %s is not installed: no directory on PATH has it\n' "$1" >&2
  exit 127
}

# Runs a command as a child with our own stdin, stdout and stderr, and hands signals on to it. Sets `status`.
# As a background job, because bash answers a signal only after a foreground one has ended.
ao_run() {
  local child=''
  caught=''
  trap 'ao_hand_on INT' INT
  trap 'ao_hand_on TERM' TERM
  trap 'ao_hand_on HUP' HUP
  trap 'ao_hand_on QUIT' QUIT
  # bash lets background jobs ignore these two; the real tool must not.
  (trap - INT QUIT; exec "$@") <&0 &
  child=$!
  [ -z "$caught" ] || kill -s "$caught" "$child" 2>/dev/null
  while :; do
    woken=''
    # What bash says about a child that a signal ended is not the tool's own output.
    { wait "$child"; } 2>/dev/null
    status=$?
    # A signal ends `wait`, not the child.
    [ -n "$woken" ] || return 0
  done
}

ao_hand_on() {
  caught=$1 woken=yes
  [ -z "$child" ] || kill -s "$1" "$child" 2>/dev/null
}

# Ends as the real command ended; after a signal that was handed on, by that signal.
ao_finish() {
  trap - INT TERM HUP QUIT
  [ -z "$caught" ] || kill -s "$caught" $$
  exit "$status"
}
