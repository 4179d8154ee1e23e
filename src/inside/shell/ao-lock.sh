# The shell's side of lock.ts and lock-queue.ts: same links, same owners, same order. Sourced by ao-metadata-helper.sh,
# whose _ao_settings must be in effect. A lock is taken in a process of its own, which ends with it.

# This process as pid:start:boot-namespace in _ao_me; its last part in _ao_boot.
_ao_who_am_i() {
  local pid stat=''
  _ao_boot='' _ao_start=''
  if [ -r /proc/self/stat ]; then
    IFS= read -r -d '' stat </proc/self/stat
    pid=${stat%% *}
    _ao_start_of "$stat"
    _ao_read_boot
  else
    # $$ would name the shell we were forked from.
    pid=$(exec sh -c 'echo $PPID')
    _ao_ps_start "$pid"
  fi
  _ao_me=$pid:$_ao_start:$_ao_boot
  [ -n "$_ao_start" ] || _ao_refuse 'the start time of this process cannot be read'
}

_ao_read_boot() {
  local boot key value namespace=''
  IFS= read -r boot </proc/sys/kernel/random/boot_id
  # Newer kernels name the inode, which is what the link says, without a child process.
  exec 8</proc/self/ns/pid
  while read -r key value; do
    [ "$key" = ino: ] && namespace=$value
  done </proc/self/fdinfo/8
  exec 8<&-
  [ -n "$namespace" ] || namespace=$(command readlink /proc/self/ns/pid)
  namespace=${namespace//[!0-9]/}
  [ -z "$namespace" ] || _ao_boot=${boot:0:8}-$namespace
}

# State and start time in the text of /proc/<pid>/stat; no start for a process that has ended. Names may hold parentheses.
_ao_start_of() {
  set -- ${1##*) }
  _ao_state=$1
  _ao_start=${20}
  case $1 in Z | X) _ao_start='' ;; esac
}

_ao_ps_start() {
  set -- $(LC_ALL=C TZ=UTC ps -o lstart= -p "$1")
  local IFS=_
  _ao_start="$*"
  _ao_start=${_ao_start//:/_}
}

_ao_is_dead() {
  local pid=${1%%:*} boot=${1##*:} start stat=''
  start=${1#*:}
  start=${start%:*}
  # A target that names no process was not made by us, and would block forever.
  case $1 in *:*:*:* | */* | *' '*) return 0 ;; *:?*:*) ;; *) return 0 ;; esac
  case $pid in '' | 0* | *[!0-9]*) return 0 ;; esac
  if [ "$boot" != "$_ao_boot" ]; then
    # Another boot is over; in another pid namespace the owner may be alive, which is unknown here.
    [ "${boot%%-*}" != "${_ao_boot%%-*}" ]
    return
  fi
  if [ -r /proc/self/stat ]; then
    { IFS= read -r -d '' stat <"/proc/$pid/stat"; } 2>/dev/null
    if [ -z "$stat" ]; then
      [ ! -e "/proc/$pid" ]
      return
    fi
    _ao_start_of "$stat"
  else
    _ao_ps_start "$pid"
  fi
  [ "$_ao_start" != "$start" ]
}

# Takes the lock. Any process that tries may get it, but long waiters go first. Waiting costs nearly nothing: the owner
# is checked only occasionally, because that takes a child process.
_ao_lock() {
  local polls=0 started
  _ao_ticket='' _ao_drawn=0 _ao_state=''
  _ao_now_ms
  started=$_ao_now
  while :; do
    if [ ! -L "$1" ]; then
      _ao_must_let_others_go "$1" || { command ln -sn -- "$_ao_me" "$1" 2>/dev/null && return 0; }
    elif [ $((polls % 64)) -eq 0 ]; then
      _ao_owner=$(command readlink "$1")
      [ -n "$_ao_owner" ] && _ao_is_dead "$_ao_owner" && _ao_break "$1" "$_ao_owner" && continue
    fi
    _ao_now_ms
    if [ $((_ao_now - started)) -gt 10000 ]; then
      _ao_owner=$(command readlink "$1")
      [ -z "$_ao_ticket" ] || command rm -f -- "$_ao_ticket"
      _ao_refuse "process ${_ao_owner%%:*} holds the lock $1"
      return
    fi
    [ $((_ao_now - started)) -lt 300 ] || _ao_keep_place "$1"
    polls=$((polls + 1))
    if [ -n "$_ao_ticket" ] && ! _ao_must_let_others_go "$1"; then _ao_nap 0.002; else _ao_nap 0.015; fi
  done
}

# As keepTurn in lock-queue.ts.
_ao_keep_place() {
  [ $((_ao_now - _ao_drawn)) -ge 10000 ] || return
  [ -z "$_ao_ticket" ] || command rm -f -- "$_ao_ticket"
  _ao_drawn=$_ao_now
  printf -v _ao_ticket '%s.ticket.%015d.%s' "$1" "$_ao_now" "$_ao_me"
  : >"$_ao_ticket"
}

# Ends this process by becoming `rm`: a child that removes the lock could outlive us when we are killed, and would then
# remove the lock of whoever came next.
_ao_unlock_and_end() {
  exec rm -f -- ${_ao_ticket:+"$_ao_ticket"} "$1"
}

# Is there a ticket before ours (or any, when we have none) whose owner lives and is not suspended?
_ao_must_let_others_go() {
  local ticket name
  set +f
  for ticket in "$1".ticket.*; do
    [ "$ticket" = "$_ao_ticket" ] && break
    [ -e "$ticket" ] || continue
    name=${ticket#"$1".ticket.}
    if _ao_is_dead "${name#*.}"; then
      command rm -f -- "$ticket"
    elif [ "${name##*:}" = "$_ao_boot" ] && [ "$_ao_state" != T ] && [ "$_ao_state" != t ]; then
      _ao_now_ms
      [ $((_ao_now - 10#${name%%.*})) -lt 15000 ] && { set -f; return 0; }
    fi
  done
  set -f
  return 1
}

_ao_now_ms() {
  local micro=${EPOCHREALTIME/[.,]/}
  if [ -n "$micro" ]; then _ao_now=${micro%???}; else _ao_now=$(command date +%s)000; fi
}

# bash 4 can wait on something that never comes; older ones need `sleep`.
_ao_nap() {
  if [ "${BASH_VERSINFO[0]}" -lt 4 ]; then
    command sleep 0.02
    return
  fi
  [ -n "$_ao_silence" ] || { exec 9<> <(:) && _ao_silence=9; }
  IFS= read -r -t "$1" -u 9
}

# Removes a dead owner's lock if that right is ours. A process of its own, which holds the right and then becomes the
# `rm`: so the right is never free while a removal is still on its way.
_ao_break() (
  _ao_who_am_i || exit 1
  lock=$1 dead=$2 owner=$2 depth=0
  rights=()
  while [ $depth -lt 64 ]; do
    right=$lock.break.${owner//\//_}
    rights[depth]=$right
    if command ln -sn -- "$_ao_me" "$right" 2>/dev/null; then
      [ "$(command readlink "$lock")" = "$dead" ] && exec rm -f -- "$lock.scratch.${dead//\//_}" "$lock" "${rights[@]}"
      exec rm -f -- "${rights[@]}"
    fi
    owner=$(command readlink "$right") || exit 1
    _ao_is_dead "$owner" || exit 1
    depth=$((depth + 1))
  done
  exit 1
)
