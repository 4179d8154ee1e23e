#!/bin/bash -p
# Writes a session's metadata from a shell. Source it and call: update_ao_metadata key value [key value ...]
#
# Same file format as metadata-codec.ts, same lock as lock.ts, same care: every write is checked, and the file is
# replaced whole or not at all. It writes only below directories that ao trusts, whatever the environment says.
# Written for bash 3.2, which is what macOS has.

# ~/.ao, derived from the path of this file: $HOME could be set to anything.
case ${BASH_SOURCE[0]} in
  /*) _ao_home=${BASH_SOURCE[0]%/*/*} ;;
  *) _ao_home=$(cd -L -- "${BASH_SOURCE[0]%/*}/.." && pwd -L) ;;
esac

. "${BASH_SOURCE[0]%/*}/ao-lock.sh"

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
  elif ! _ao_knows_version; then
    printf %s "$_ao_problem"
    _ao_unlock_and_end "$_ao_lock_path"
  else
    _ao_scratch=$_ao_lock_path.scratch.$_ao_me
    _ao_note_status "$@"
    if _ao_write_pairs "$@" ${_ao_noted[@]+"${_ao_noted[@]}"}; then
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
  _ao_is_own || _ao_refuse "AO_SESSION is $AO_SESSION, but this is another session" || return
  # Reported immediately instead of waiting for a lock that can never be taken: an agent may be in a read-only sandbox.
  [ -w "$directory" ] || _ao_refuse "$directory cannot be written" || return
  [ -d "$directory/.locks" ] || command mkdir -- "$directory/.locks" 2>/dev/null || [ -d "$directory/.locks" ]
}

# Started for this very session? Outside of one (a person who runs an agent by hand) there is nothing to compare.
_ao_is_own() {
  [ -n "$AO_SPAWN_ID" ] || return 0
  _ao_read_own spawnId
  [ -z "$_ao_value" ] || [ "$_ao_value" = "$AO_SPAWN_ID" ]
}

# As FORMATS in formats.ts: a record without a version is of version 1, and one of a newer program stays as it is.
_ao_knows_version() {
  _ao_read_own version
  case $_ao_value in
    '' | 1) ;;
    [1-9]*) _ao_refuse "$_ao_file is of version $_ao_value, which a newer ao wrote" ;;
  esac
}

# Sets _ao_value to what ao has written for this key; empty: nothing.
_ao_read_own() {
  local line
  _ao_value=''
  while IFS= read -r line || [ -n "$line" ]; do
    case $line in "$1"=*) _ao_value=${line#*=}; return ;; esac
  done <"$_ao_file"
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

# What may be written from inside a session. Every other key decides what ao ends, removes or restores, and only ao writes it.
_ao_check_keys() {
  _ao_before=''
  while [ $# -gt 0 ]; do
    case $1 in
      '' | *[!A-Za-z0-9_.-]*) _ao_refuse 'a key may hold letters, digits, _ . and - only' || return ;;
      summary | note.?*) ;;
      pr) _ao_check_address "$1" "$2" || return ;;
      prs)
        for _ao_value in $2; do _ao_check_address "$1" "$_ao_value" || return; done
        ;;
      branch) _ao_is_branch "$2" || _ao_refuse "branch cannot be set to $2, which is not a branch of this session" || return ;;
      status)
        case $2 in
          working | pr_open) ;;
          merged) [ "$_ao_before" = mergeReported=yes ] || _ao_refuse 'the status becomes merged when the forge says so' || return ;;
          *) _ao_refuse "the status cannot be set to $2 from inside a session, only to working or pr_open" || return ;;
        esac
        ;;
      # Facts behind these words, which the wrappers write with them. `merged` beside it is a claim, and ao reads it as one.
      mergeReported) [ "$2" = yes ] || _ao_refuse 'mergeReported can only be set to yes' || return ;;
      alarm) [ -z "$2" ] || _ao_refuse 'alarm can only be cleared from inside a session' || return ;;
      *) _ao_refuse "$1 cannot be changed from inside a session, only pr, branch, status, summary and note.*" || return ;;
    esac
    _ao_before=$1=$2
    shift 2
  done
}

_ao_check_address() {
  _ao_is_address "$2" || _ao_refuse "$1 can only be set to the web address of a pull request" || return
  _ao_is_at_forge "$2" || _ao_refuse "$1 cannot be set to $2, which is not a pull request of this project" || return
}

# Of a pull or merge request, on any forge.
_ao_is_address() {
  local pattern='^https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9._~%+-]+)+/(pull|pulls|merge_requests)/[0-9]+/?$'
  [[ $1 =~ $pattern ]]
}

# Where the project's pull requests are, whatever the case of its name: sessions of older versions know the host only, or nothing.
_ao_is_at_forge() {
  local address=${1#*://} rest
  _ao_read_own forge
  [ -n "$_ao_value" ] || return 0
  shopt -s nocasematch
  case $address in
    "$_ao_value"/*) rest=${address:${#_ao_value}+1} ;;
    *) shopt -u nocasematch; return 1 ;;
  esac
  shopt -u nocasematch
  case $_ao_value in
    # Nothing but the number follows the repository: a longer path is another one's.
    */*) case $rest in pull/* | pulls/* | merge_requests/* | -/merge_requests/*) ;; *) return 1 ;; esac ;;
  esac
}

# A name that git accepts, that is not the branch everybody builds on, and that no other session has.
_ao_is_branch() {
  local other
  _ao_read_own baseBranch
  [ "$1" != "$_ao_value" ] || return 1
  case $1 in
    '' | -* | /* | .* | */ | *. | *.lock | *..* | *//* | */.* | *@\{* | *[[:cntrl:][:space:]~^:?*[\\]*) return 1 ;;
    @ | HEAD | main | master) return 1 ;;
  esac
  set +f
  for other in "${_ao_file%/*}"/*; do
    [ "$other" != "$_ao_file" ] && [ -f "$other" ] || continue
    ! command grep -qxF -- "branch=$1" "$other" || { set -f; return 1; }
  done
  set -f
}

# Only under the lock. Sets _ao_noted: when the status changes, the moment, and what it was for the history, which ao writes.
_ao_note_status() {
  local line was='' pending='' new=''
  _ao_noted=()
  while [ $# -gt 0 ]; do
    [ "$1" = status ] && new=$2
    shift 2
  done
  [ -n "$new" ] || return 0
  while IFS= read -r line || [ -n "$line" ]; do
    _ao_split "$line"
    case $_ao_line_key in
      status) was=$_ao_line_value ;;
      statusBefore) pending=$_ao_line_value ;;
    esac
  done <"$_ao_file"
  [ "$was" != "$new" ] || return 0
  _ao_noted=(statusSince "$(command date -u +%Y-%m-%dT%H:%M:%SZ)")
  [ -n "$pending" ] || [ -z "$was" ] || _ao_noted+=(statusBefore "$was")
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
  # read -d '' succeeds only at a NUL byte: a damaged file, which a shell cannot copy line by line.
  if IFS= read -r -d '' whole <"$_ao_file"; then
    for ((index = 0; index < count; index++)); do
      text+=${keys[index]}=${values[index]}$'\n'
    done
    command cp -- "$_ao_file" "$_ao_scratch" && printf '\n%s' "$text" >>"$_ao_scratch" 2>/dev/null && _ao_publish
    return
  fi
  while IFS= read -r line || [ -n "$line" ]; do
    for ((index = 0; index < count; index++)); do
      # The cheap check first: most lines belong to other keys.
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
      # The last line of a key counts; the new one replaces the first.
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
