#!/bin/bash -p
# Writes a session's metadata from a shell. Source it and call: update_ao_metadata key value [key value ...]
#
# Same file format as metadata-codec.ts, same lock as lock.ts, same care: every write is checked, the file is replaced
# whole or not at all. Runs on bash 3.2. It writes only below directories that ao trusts, whatever the environment says.

# ~/.ao, from where this file stands: $HOME could be set to anything.
case ${BASH_SOURCE[0]} in
  /*) _ao_home=${BASH_SOURCE[0]%/*/*} ;;
  *) _ao_home=$(cd -L -- "${BASH_SOURCE[0]%/*}/.." && pwd -L) ;;
esac

update_ao_metadata() {
  local outcome
  # A subshell of its own: its process owns the lock, and the caller's shell keeps its settings.
  outcome=$(_ao_update "$@")
  [ "$outcome" = 'done' ] && return
  printf 'ao: the session record was not updated: %s\n' "$outcome" >&2
  return 1
}

# Prints `done`, or what is wrong. Does not return once it has had the lock.
_ao_update() {
  _ao_settings
  _ao_scratch=''
  if [ $# -eq 0 ] || [ $(($# % 2)) -ne 0 ]; then
    printf 'usage: update_ao_metadata key value [key value ...]'
  elif ! { _ao_find_session && _ao_check_keys "$@" && _ao_who_am_i && _ao_lock "$_ao_lock_path"; }; then
    printf %s "$_ao_problem"
  else
    _ao_scratch=$_ao_lock_path.scratch.$_ao_me
    if _ao_write_pairs "$@"; then
      printf 'done'
    else
      command rm -f -- "$_ao_scratch"
      printf %s "$_ao_file could not be written"
    fi
    _ao_unlock_and_end "$_ao_lock_path"
  fi
}

# Whatever the caller's shell is set to.
_ao_settings() {
  set +eu
  set -f
  shopt -u failglob nullglob nocasematch
  LC_ALL=C
  IFS=$' \t\n'
  umask 077
  unset CDPATH
}

# Ends a function with the reason in _ao_problem.
_ao_refuse() {
  _ao_problem=$1
  return 1
}

# --- which file -------------------------------------------------------------------------------------------------------

# Sets _ao_file and _ao_lock_path, if the environment names a session that we may write. Changes the directory.
_ao_find_session() {
  local directory
  [ -n "$AO_SESSION" ] && [ -n "$AO_DATA_DIR" ] || _ao_refuse 'AO_SESSION or AO_DATA_DIR is not set' || return
  case $AO_SESSION in
    *[!A-Za-z0-9_-]*) _ao_refuse 'AO_SESSION is not the name of a session' || return ;;
  esac
  case $AO_DATA_DIR in
    /*) ;;
    *) _ao_refuse 'AO_DATA_DIR is not an absolute path' || return ;;
  esac
  cd -P -- "$AO_DATA_DIR" 2>/dev/null || _ao_refuse "there is no directory $AO_DATA_DIR" || return
  directory=$PWD
  _ao_is_trusted "$directory" || _ao_refuse "$directory is not below a directory that ao trusts" || return
  _ao_file=$directory/$AO_SESSION
  _ao_lock_path=$directory/.locks/$AO_SESSION
  [ -f "$_ao_file" ] && [ ! -L "$_ao_file" ] || _ao_refuse "there is no session $AO_SESSION in $directory" || return
  # Said at once instead of waiting for a lock that can never be taken: an agent may sit in a read-only sandbox.
  [ -w "$directory" ] || _ao_refuse "$directory cannot be written" || return
  [ -d "$directory/.locks" ] || command mkdir -- "$directory/.locks" 2>/dev/null || [ -d "$directory/.locks" ]
}

# The argument is a physical path, and so are the roots it is compared with.
_ao_is_trusted() {
  local root
  for root in "$_ao_home" "${_ao_home%/*}/.agent-orchestrator"; do
    cd -P -- "$root" 2>/dev/null || continue
    case $1 in "$PWD"/*) return 0 ;; esac
  done
  [ -f "$_ao_home/trusted-roots" ] || return 1
  while IFS= read -r root; do
    case $root in
      /?*) case $1 in "${root%/}"/*) return 0 ;; esac ;;
    esac
  done <"$_ao_home/trusted-roots"
  return 1
}

_ao_check_keys() {
  while [ $# -gt 0 ]; do
    case $1 in
      '' | *[!A-Za-z0-9_.-]*) _ao_refuse 'a key may hold letters, digits, _ . and - only' || return ;;
      createdAt) _ao_refuse 'createdAt never changes' || return ;;
    esac
    shift 2
  done
}

# --- its content ------------------------------------------------------------------------------------------------------

# Only under the lock. Lines of other keys stay byte for byte as they are; equal values write nothing.
_ao_write_pairs() {
  local keys values current count=0 index line whole text='' differs=''
  keys=() values=() current=()
  while [ $# -gt 0 ]; do
    _ao_encode "$2"
    keys[count]=$1 values[count]=$_ao_encoded
    count=$((count + 1))
    shift 2
  done
  # read -d '' succeeds only where a NUL byte stands: a damaged file, which a shell cannot copy line by line.
  if IFS= read -r -d '' whole <"$_ao_file"; then
    for ((index = 0; index < count; index++)); do
      text+=${keys[index]}=${values[index]}$'\n'
    done
    command cp -- "$_ao_file" "$_ao_scratch" && printf '\n%s' "$text" >>"$_ao_scratch" 2>/dev/null && _ao_publish
    return
  fi
  while IFS= read -r line || [ -n "$line" ]; do
    for ((index = 0; index < count; index++)); do
      # The cheap look first: most lines belong to other keys.
      case $line in
        "${keys[index]}"=* | "${keys[index]}"[[:blank:]]*=* | [[:blank:]]*=*)
          _ao_split "$line"
          [ "$_ao_line_key" = "${keys[index]}" ] && break
          ;;
      esac
    done
    if [ $index -eq $count ]; then
      text+=$line$'\n'
    else
      # The last line of a key is the one that counts; the new one stands where the first was.
      [ -n "${current[index]}" ] || text+=${keys[index]}=${values[index]}$'\n'
      current[index]="=$_ao_line_value"
    fi
  done <"$_ao_file"
  for ((index = 0; index < count; index++)); do
    [ "${current[index]}" = "=${values[index]}" ] || differs=yes
    [ -n "${current[index]}" ] || text+=${keys[index]}=${values[index]}$'\n'
  done
  [ -n "$differs" ] || return 0
  _ao_write_scratch "$text" && _ao_publish
}

# A full disk must be noticed here: what was written is read back before anything relies on it.
_ao_write_scratch() {
  local written=
  set -C
  printf '%s' "$1" 2>/dev/null >"$_ao_scratch" || return 1
  set +C
  IFS= read -r -d '' written <"$_ao_scratch"
  [ "$written" = "$1" ]
}

# Never after a failed write. If this process is killed, the next owner of the lock removes the scratch file first, so a
# `mv` that is still on its way finds nothing to publish.
_ao_publish() {
  command sync "$_ao_scratch" 2>/dev/null || return 1
  command mv -f -- "$_ao_scratch" "$_ao_file"
}

_ao_split() {
  _ao_line_key='' _ao_line_value=''
  case $1 in *=*) ;; *) return ;; esac
  _ao_trim "${1%%=*}"
  _ao_line_key=$_ao_trimmed
  _ao_trim "${1#*=}"
  _ao_line_value=$_ao_trimmed
}

_ao_trim() {
  _ao_trimmed=${1%$'\r'}
  while :; do
    case ${_ao_trimmed:0:1} in ' ' | $'\t') _ao_trimmed=${_ao_trimmed#?} ;; *) break ;; esac
  done
  while :; do
    case ${_ao_trimmed:${#_ao_trimmed}-1} in ' ' | $'\t') _ao_trimmed=${_ao_trimmed%?} ;; *) return ;; esac
  done
}

# As encodeValue: a value can add neither a line nor a key, and everything else stays readable.
_ao_encode() {
  local value=$1 code hex char
  case $value in *%*)
    value=${value//\%25/%2525}
    value=${value//\%0/%250}
    value=${value//\%1/%251}
    value=${value//\%7F/%257F}
    value=${value//\%7f/%257f}
    ;;
  esac
  case $value in *[$'\001'-$'\010\012'-$'\037\177']*)
    for code in 1 2 3 4 5 6 7 8 {10..31} 127; do
      printf -v hex %02X $code
      printf -v char "\\x$hex"
      value=${value//"$char"/%$hex}
    done
    ;;
  esac
  # Only the outermost blank would be trimmed; a literal %20 there must not be taken for one.
  case $1 in
    ' ') value=%20 ;;
    $'\t') value=%09 ;;
    %20) value=%2520 ;;
    *)
      case $1 in
        %20*) value=%25${value#?} ;;
        ' '*) value=%20${value#?} ;;
        $'\t'*) value=%09${value#?} ;;
      esac
      case $1 in
        *%20) value=${value%???}%2520 ;;
        *' ') value=${value%?}%20 ;;
        *$'\t') value=${value%?}%09 ;;
      esac
      ;;
  esac
  _ao_encoded=$value
}

# --- the lock, as in lock.ts ------------------------------------------------------------------------------------------

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
  # What names no process was not made by us, and would block for ever.
  case $1 in *:*:*:* | */* | *' '*) return 0 ;; *:?*:*) ;; *) return 0 ;; esac
  case $pid in '' | 0* | *[!0-9]*) return 0 ;; esac
  if [ "$boot" != "$_ao_boot" ]; then
    # Another boot is over; in another pid namespace the owner may live, and nobody here can tell.
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

# Takes the lock. Whoever tries may get it, but those who have waited long go first. To wait costs nearly nothing: the
# owner is looked at now and then only, because that takes a child process.
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

# As keepPlace in lock-queue.ts.
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
