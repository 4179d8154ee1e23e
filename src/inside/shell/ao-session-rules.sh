# What a finished command means for the session's record. The wrappers and Claude's hook apply the same rules, and both
# may see the same command: a second note of the same fact changes nothing.
# Sourced. Silent: problems go to wrappers.log in the session's state directory.

. "${BASH_SOURCE[0]%/*}/ao-metadata-helper.sh"

# ao_note_pr_created URL
ao_note_pr_created() {
  ao_owns_pull_requests || return
  # Known already: the status may have moved on since, and must not be set back.
  [ "$(ao_metadata_value pr)" = "$1" ] && return
  ao_note pr "$1" status pr_open
}

# ao_note_pr_merged [NUMBER|URL|BRANCH], as the merged pull request was named
ao_note_pr_merged() {
  ao_owns_pull_requests || return
  local pr branch
  pr=$(ao_metadata_value pr)
  branch=$(ao_metadata_value branch)
  # Somebody else's pull request says nothing about this session. Unknown things are given the benefit of the doubt.
  case $1 in
    '') ;;
    *[!0-9#]*)
      case $1 in
        */pull/*) [ -z "$pr" ] || [ "${pr%/}" = "${1%/}" ] || return ;;
        *) [ -z "$branch" ] || [ "$branch" = "${1#*:}" ] || return ;;
      esac
      ;;
    *) [ -z "$pr" ] || [ "${pr##*/pull/}" = "${1#\#}" ] || return ;;
  esac
  ao_note status merged
}

# ao_note_branch BRANCH TOP-OF-CHECKOUT
ao_note_branch() {
  local worktree
  worktree=$(ao_metadata_value worktree)
  # A branch of another checkout is not the session's.
  if [ -d "$worktree" ] && [ -n "$2" ] && ! [ "$worktree" -ef "$2" ]; then return; fi
  ao_note branch "$1"
}

# Only a name that looks like a feature branch, so that a visit to main is no news.
ao_is_feature_branch() {
  case $1 in */* | *-*) return 0 ;; esac
  return 1
}

# The last pull request URL that stands on a line of its own; else, after success, the last one at all.
# ao_pr_url FILE STATUS
ao_pr_url() {
  local url='https?://[^[:space:]/"]+/[^[:space:]/"]+/[^[:space:]/"]+/pull/[0-9]+' found
  found=$(tail -c 65536 "$1" | LC_ALL=C grep -aE "^[[:space:]]*$url[[:space:]]*\$" | tail -n 1)
  [ -n "$found" ] || [ "$2" != 0 ] || found=$(tail -c 65536 "$1" | LC_ALL=C grep -aoE "$url" | tail -n 1)
  found=${found//[[:space:]]/}
  [ -n "$found" ] && printf '%s\n' "$found"
}

# An orchestrator works on other sessions' pull requests.
ao_owns_pull_requests() {
  [ "$AO_CALLER_TYPE" != orchestrator ]
}

ao_note() {
  local problem
  problem=$(update_ao_metadata "$@" 2>&1 </dev/null) && return
  { [ -d "$AO_STATE_DIR" ] && printf '%s\n' "$problem" >>"$AO_STATE_DIR/wrappers.log"; } 2>/dev/null
}
