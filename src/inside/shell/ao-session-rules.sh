# What a finished command means for the session's record. The wrappers and Claude's hook apply the same rules, and both
# may see the same command: a second note of the same fact changes nothing.
# Sourced. Silent: problems go to wrappers.log in the session's state directory.

. "${BASH_SOURCE[0]%/*}/ao-metadata-helper.sh"

# ao_note_pr_created URL
ao_note_pr_created() {
  ao_read_record || return
  [ "$AO_CALLER_TYPE" = orchestrator ] && return
  # Known already: the status may have moved on since, and must not be set back.
  [ "$ao_pr" = "$1" ] && return
  case " $ao_prs " in *" $1 "*) return ;; esac
  # The facts and the status that follows from them: an agent that opens a pull request is not waiting. Those before stay its own.
  set -- pr "$1" ${ao_pr:+prs "${ao_prs:-$ao_pr} $1"} ${ao_alarm:+alarm ''} status pr_open
  ao_note "$@"
}

# ao_note_pr_merged [NUMBER|URL|BRANCH], as the merged pull request was named
ao_note_pr_merged() {
  ao_read_record || return
  # An orchestrator works on other sessions' pull requests.
  [ "$AO_CALLER_TYPE" = orchestrator ] && return
  # Somebody else's pull request says nothing about this session. Unknown things are given the benefit of the doubt.
  case $1 in
    '') ;;
    */pull/*) [ -z "$ao_pr" ] || [ "${ao_pr%/}" = "${1%/}" ] || return ;;
    *[!0-9#]*) [ -z "$ao_branch" ] || [ "$ao_branch" = "${1#*:}" ] || return ;;
    *) [ -z "$ao_pr" ] || [ "${ao_pr##*/pull/}" = "${1#\#}" ] || return ;;
  esac
  # ao asks the forge before it believes this.
  ao_note mergeReported yes status merged
}

# ao_note_branch BRANCH TOP-OF-CHECKOUT
ao_note_branch() {
  ao_read_record || return
  # A branch of another checkout is not the session's.
  if [ -d "$ao_worktree" ] && [ -n "$2" ] && ! [ "$ao_worktree" -ef "$2" ]; then return; fi
  [ "$ao_branch" = "$1" ] || ao_note branch "$1"
}

# The last pull request URL on a line of its own; else, after success, the last one at all.
# ao_pr_url FILE STATUS
ao_pr_url() {
  local url='https?://[^[:space:]/"]+/[^[:space:]/"]+/[^[:space:]/"]+/pull/[0-9]+' found
  found=$(tail -c 65536 "$1" | LC_ALL=C grep -aE "^[[:space:]]*${url}[[:space:]]*\$" | tail -n 1)
  [ -n "$found" ] || [ "$2" != 0 ] || found=$(tail -c 65536 "$1" | LC_ALL=C grep -aoE "$url" | tail -n 1)
  found=${found//[[:space:]]/}
  [ -n "$found" ] && printf '%s\n' "$found"
}

# Sets ao_pr, ao_prs, ao_branch, ao_worktree and ao_alarm to what is recorded now. Without a child process, but it changes the directory.
ao_read_record() {
  local line
  ao_pr='' ao_prs='' ao_branch='' ao_worktree='' ao_alarm=''
  _ao_settings
  _ao_find_session || { ao_log "$_ao_problem"; return 1; }
  while IFS= read -r line || [ -n "$line" ]; do
    _ao_split "$line"
    case $_ao_line_key in pr | prs | branch | worktree | alarm) printf -v "ao_$_ao_line_key" %s "$_ao_line_value" ;; esac
  done <"$_ao_file"
}

ao_note() {
  local outcome
  outcome=$(_ao_update "$@" </dev/null 2>/dev/null)
  [ "$outcome" = 'done' ] || ao_log "$outcome"
}

ao_log() {
  { [ -d "$AO_STATE_DIR" ] && printf '%s\n' "$1" >>"$AO_STATE_DIR/wrappers.log"; } 2>/dev/null
}
