// `ao __docs errors`: prints docs/errors.md from the table of errors. A code without an explanation does not compile.
import { ERROR_TABLE, type ErrorCode } from '../../../contract/errors.ts'

export function renderErrors(): string {
  const rows = Object.entries(ERROR_TABLE).map(([code, row]) => {
    return `- \`${code}\` (${row.exit}/${row.http}) ${MEANINGS[code as ErrorCode]}`
  })
  return `${INTRODUCTION}\n\n${rows.join('\n')}\n`
}

const INTRODUCTION = `# Errors

<!-- Written by \`ao __docs errors\` from the table in src/contract/errors.ts; a test keeps it up to date. -->

For anyone who handles errors in a script or over HTTP. Every error of \`ao\`, \`agh\`, the dashboard and the library has a code, a
message, and mostly a hint: the next command to type. With \`--json\`, and over HTTP, it is
\`{ "error": { "code", "message", "hint", "details" } }\`. In brackets: [exit code](commands.md#exit-codes)/HTTP status.
Symptoms and remedies: [troubleshooting](troubleshooting.md).`

const MEANINGS: Readonly<Record<ErrorCode, string>> = {
  USAGE: 'The command line or the request is wrong',
  CONFIG_NOT_FOUND: 'No configuration here or above',
  CONFIG_INVALID: 'A configuration file is wrong; every problem is named with its line',
  CONFIG_CHANGED: 'The file has changed since it was read; nothing was written',
  CONFIG_UNTRUSTED: 'The configuration or the repository asks for something that you have not agreed to',
  PROJECT_NOT_FOUND: 'The configuration has no such project',
  PROJECT_AMBIGUOUS: 'There are several projects, and it is not clear which one is meant',
  ORIGIN_MISMATCH: 'The data directory belongs to another configuration',
  SESSION_NOT_FOUND: 'There is no such session, and none in the archive',
  SESSION_NOT_RESTORABLE: 'It runs, or its work is merged, or it was never started',
  NOT_RECORDED: 'There is no recording of its terminal: it has none, or recording was off',
  ARCHIVE_INVALID: 'The file is not an exported session, was changed, or needs commits that this clone lacks',
  SESSION_NOT_RUNNING: 'It has ended, so nothing can be sent to it',
  CASSETTE_DAMAGED: 'A recorded day is damaged, cut off, forged or of a newer version of ao',
  SESSION_BUSY: 'Another command works on the session, or another session has the pull request',
  METADATA_DAMAGED: 'A record on the disk cannot be read',
  FORMAT_NEWER: 'A newer version of ao or agh wrote this file, and this one does not change it; it can still be read',
  PLUGIN_NOT_FOUND: 'No plugin of this slot has this name',
  PLUGIN_INVALID: 'A plugin cannot be loaded, or does not keep to its interface',
  TOOL_MISSING: 'A program that is needed is not on the PATH',
  WORKSPACE_MISSING: 'The worktree is gone and cannot be made again',
  WORKSPACE_FAILED: 'The worktree could not be made or removed',
  PATH_TAKEN: 'Something that ao did not make is where the workspace should be',
  RESCUE_CONFLICT: 'Saved work no longer applies cleanly. It is still in its ref; the workspace was not touched',
  WORKSPACE_NOT_SAVED: 'Uncommitted work could not be saved, so nothing was removed',
  BRANCH_TAKEN: 'The branch is checked out elsewhere',
  GIT_FAILED: 'git failed; its own words are in the message',
  GIT_OBJECT_DAMAGED:
    'The content of a git object is not what its id stands for, or it cannot be read; nothing that contains it is shown, checked or merged',
  RUNTIME_FAILED: 'tmux, the process host or agh could not start or end the agent',
  AGENT_FAILED: 'The agent did not start, or refused what it was asked',
  ACCOUNT_NOT_FOUND:
    'The configuration has no account of this name; one that a session still uses may have been removed',
  SWITCH_FAILED:
    'The session could not be continued with another account; the message says why, and what it runs with now',
  PLACE_NOT_FOUND: 'The configuration has no place of this name',
  PLACE_FAILED: 'The engine of a place refused, or what ao needs is missing there; its own words are in the message',
  PLACE_UNREACHABLE: 'The place does not answer now: no access, a wrong key, or a line that is down',
  PLACE_FULL: 'Every place that the session could use is full or being drained',
  POST_CREATE_FAILED: 'A `postCreate` command failed; its output is in the message',
  MESSAGE_NOT_WAITING: 'The message cannot be changed or withdrawn: it was delivered, or it was withdrawn before',
  MESSAGE_WITHDRAWN: 'The message was withdrawn while it waited, so the agent never got it',
  RULE_NOT_FOUND:
    'No such standing rule can be revoked: it never was one, was revoked before, or the agent keeps it itself',
  ATTACHMENT_REFUSED:
    'A file that was to go along with a message is too large, a program, one too many or outside of what may be named',
  MESSAGE_REFUSED: 'The terminal of the agent would cut the message, so nothing of it was entered',
  MESSAGE_UNDELIVERED: 'The message did not reach the agent',
  AGENT_ASKS:
    'The agent waits for an answer, or its input line already holds text: typing would have answered the dialog or joined the two texts. Nothing was typed.',
  ISSUE_TAKEN: 'A session that has not ended works on the issue already',
  SCHEDULE_NOT_FOUND: 'The project has no such schedule',
  ISSUE_NOT_FOUND: 'The tracker has no such issue, or the project has no tracker',
  ATTACHMENT_NOT_FOUND:
    'No message of the session has a file with this hash, or it was removed to keep the disk within its limits',
  IMAGE_NOT_FOUND: 'There is no such picture, it is not one that a page shows, or it is larger than 10 MB',
  PR_NOT_FOUND: 'The forge has no such pull request',
  PR_NOT_MERGEABLE: 'Closed, merged, conflicting, not green, or changes are requested',
  PR_HEAD_MOVED: 'It was pushed to since you looked',
  CHECKOUT_DIRTY: 'The checkout of the base branch has changes that a merge would touch',
  TRACKER_FAILED: 'The tracker refused or did not answer',
  SCM_FAILED: 'The forge refused or did not answer',
  RATE_LIMITED:
    'A forge or tracker answered that its rate limit is used up, or is not asked until the limit has passed',
  WEBHOOK_REFUSED: 'A delivery without a valid signature',
  WORKSPACE_NOT_FOUND: 'agh: no such workspace is registered',
  TASK_NOT_FOUND: 'agh: there is no such task',
  AGENT_NOT_FOUND: 'agh: no such agent is described',
  SESSION_AMBIGUOUS: 'agh: a name, or the beginning of an id, means more than one session',
  SESSION_NOT_ACTIVE: 'agh: the session is stopped, or not ready yet',
  TURN_IN_PROGRESS: 'agh: the agent works on another prompt',
  PERMISSION_NOT_FOUND: 'agh: no such question waits; it was answered, or its time was over',
  STATE_REFUSED: 'agh: the current state does not allow it',
  PAUSED: '`ao pause` stopped everything, and this would let an agent work',
  DAEMON_RUNNING: 'agh: another daemon runs for the same home',
  DAEMON_STOPPED: 'agh: the daemon was stopped while a command was using it',
  DAEMON_LEFT:
    'agh: the daemon was stopped without its agents while a command was using it; the sessions continue with the next one',
  DAEMON_OLDER: 'agh: the running daemon is older than the command and does not support the request',
  DAEMON_NOT_RUNNING: 'agh: the daemon is not running, or could not start',
  ROLE_REFUSED: 'The command was typed by an agent inside a session, and its role does not allow it',
  ACCESS_REFUSED: 'The request comes from a page, host or user that may not ask',
  DEVICE_NOT_FOUND: 'No paired device has this id or name',
  DEVICE_LIMITED: 'The device was paired with a right that does not include this',
  SIGN_IN_NEEDED: 'The browser is not signed in, or the token is wrong',
  ROUTE_NOT_FOUND: 'The API has no such address',
  IDEMPOTENCY_KEY_REUSED: 'The same `Idempotency-Key` was sent with another request before',
  REQUEST_IN_PROGRESS: 'A request with the same `Idempotency-Key` is still being carried out by another process',
  OUTCOME_UNKNOWN: 'The server ended while it carried out the request with this `Idempotency-Key`; it is not repeated',
  BODY_TOO_LARGE: 'The API was sent more than it takes at once',
  ALREADY_RUNNING: '`ao start` runs already for this configuration',
  SERVICE_FAILED: 'The service manager of the system refused, or there is none',
  PORT_TAKEN: "Another program is listening on the dashboard's port",
  FILE_UNUSABLE: 'Something that is not a plain file, or far too large, is in the place of a file that ao reads',
  ACCESS_DENIED: 'The operating system does not let ao read or write a file',
  DISK_FULL: 'There is no space left on the device, or a quota is used up',
  OUTPUT_LOST: 'What a command printed could not all be written, for example to a full disk; what it did is done',
  DISK_READ_ONLY: 'The file system is mounted read-only',
  PROGRAM_REPLACED: 'The files of the running loop were replaced or removed, as an upgrade does',
  TOO_MANY_FILES: 'No more files can be opened or programs started: a limit of the process or of the machine',
  LOCK_TIMEOUT: 'Another process holds a lock for too long',
  TIMEOUT: 'It took too long',
  INTERNAL: 'A mistake inside ao: please report it',
}
